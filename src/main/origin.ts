import { STUDIO_PAGES } from '../shared/contract/page-addresses.ts';

/** The window's own origin: a host of a scheme only this application serves. */
export const SCHEME = 'app';
export const HOST = 'studio';
export const ORIGIN = `${SCHEME}://${HOST}`;
export const START_PAGE = STUDIO_PAGES.projects;

/**
 * An address parsed by the platform, or undefined. Addresses are never compared as text here, since
 * `app://studio.evil` and `app://studio@evil` begin alike.
 */
export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * `scheme://host` of a parsed address. `URL.origin` is opaque for schemes the platform does not
 * know.
 */
function isOurs(url: URL): boolean {
  return (
    url.protocol === `${SCHEME}:` && url.host === HOST && url.username === '' && url.password === ''
  );
}

/** Whether the window may show this address: one of our own that is not part of the API. */
export function isOurPage(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== undefined && isOurs(url) && url.pathname !== '/api' && !url.pathname.startsWith('/api/')
  );
}

export function isOurOrigin(text: string): boolean {
  const url = parseUrl(text);
  return url !== undefined && isOurs(url);
}

/** Whether a download was made by our own page (a blob of ours). */
export function isOurBlob(text: string): boolean {
  return text.startsWith('blob:') && isOurOrigin(text.slice('blob:'.length));
}
