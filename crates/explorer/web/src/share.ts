// The line as text, and the board as a picture.

import { announcement, notice, transcript } from './state';

export async function copy(text: string | ClipboardItem, what: string): Promise<void> {
  try {
    if (typeof text === 'string') await navigator.clipboard.writeText(text);
    else await navigator.clipboard.write([text]);
    announcement.value = notice.value = `${what} copied.`;
  } catch {
    notice.value = `The browser doesn’t allow copying. ${typeof text === 'string' ? text : ''}`;
  }
}

export async function copyTranscript(): Promise<void> {
  const text = transcript();
  if (text === '') notice.value = 'There are no moves to copy.';
  else await copy(text, 'Moves');
}

const PAINT = ['fill', 'stroke', 'stroke-width', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor'];

/** The board on the page as a picture of its own: the colours of the page are written into it. */
export function boardSvg(): string {
  const board = document.querySelector<SVGSVGElement>('svg.board')!;
  const picture = board.cloneNode(true) as SVGSVGElement;
  const [from, to] = [board, picture].map((root) => [...root.querySelectorAll<SVGElement>('*')]);
  from!.forEach((element, index) => {
    const style = getComputedStyle(element);
    const target = to![index]!;
    for (const name of PAINT) target.setAttribute(name, style.getPropertyValue(name));
    for (const name of ['class', 'style', 'role', 'tabindex', 'aria-label', 'data-square', 'data-value-of']) target.removeAttribute(name);
  });
  for (const name of ['class', 'role', 'aria-label']) picture.removeAttribute(name);
  picture.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  picture.setAttribute('width', '856');
  picture.setAttribute('height', '856');
  return new XMLSerializer().serializeToString(picture);
}

export async function boardPng(): Promise<Blob> {
  const image = new Image(856, 856);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(boardSvg())}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1712;
  canvas.getContext('2d')!.drawImage(image, 0, 0, 1712, 1712);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be made.')))));
}

export function save(data: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
