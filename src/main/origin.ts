/** The window's own origin: a host of a scheme only this application serves. */
export const SCHEME = 'app';
export const HOST = 'studio';
export const ORIGIN = `${SCHEME}://${HOST}`;
export const START_URL = `${ORIGIN}/studio`;

/** An address parsed by the platform, or undefined. Text is never compared with text here: `app://studio.evil` and `app://studio@evil` start alike. */
export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** `scheme://host` of a parsed address. `URL.origin` is opaque for schemes the platform does not know. */
function isOurs(url: URL): boolean {
  return url.protocol === `${SCHEME}:` && url.host === HOST && url.username === '' && url.password === '';
}

/** True for the addresses the window may show: our own, and none of the API's. */
export function isStudioPage(text: string): boolean {
  const url = parseUrl(text);
  return url !== undefined && isOurs(url) && url.pathname !== '/api' && !url.pathname.startsWith('/api/');
}

export function isOurOrigin(text: string): boolean {
  const url = parseUrl(text);
  return url !== undefined && isOurs(url);
}

/** True for a download the page made itself: a blob of ours. */
export function isOurBlob(text: string): boolean {
  return text.startsWith('blob:') && isOurOrigin(text.slice('blob:'.length));
}
