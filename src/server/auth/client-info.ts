import type { RequestContext } from '../context/request.ts';

/**
 * Describes the browser that signs in ("Firefox on Linux"), so that a person recognises it in the
 * list of sessions.
 */
export interface ClientInfo {
  address: string;
  browser: string;
}

/**
 * The first match counts: most browsers also name the ones that they descend from. Those without a
 * window, in an application or on iOS have names of their own.
 */
const BROWSERS: readonly [sign: RegExp, name: string][] = [
  [/\b(?:Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS)\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|Chromium|\bCriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [sign: RegExp, name: string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export function browserName(userAgent: string): string {
  const named = (table: typeof BROWSERS): string | undefined =>
    table.find(([sign]) => sign.test(userAgent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  return browser === undefined
    ? 'Unknown browser'
    : system === undefined
      ? browser
      : `${browser} on ${system}`;
}

export function clientInfoOf({ address, req }: RequestContext): ClientInfo {
  return { address, browser: browserName(req.headers['user-agent'] ?? '') };
}
