/**
 * Whether the path is a view of the studio, as a regular expression over the whole path: all of
 * them answer the one page, in a browser and in the window alike.
 */
export function isStudioPage(pathname: string): boolean {
  return /^\/(?:studio(?:\/.*)?|account)$/.test(pathname);
}
