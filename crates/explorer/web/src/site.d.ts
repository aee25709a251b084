/** Whether the page is part of a folder that `obook site` wrote, without a server. */
declare const SITE: boolean;
