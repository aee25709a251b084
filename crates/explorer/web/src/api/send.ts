// Asks the server. A site that `obook site` wrote has site/send.ts in its place.

export const send = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);
