/**
 * What the server or the build has written into the page's `<meta name>`, or undefined where nobody
 * did (a development server).
 */
export function readPageFact(
  document: Document,
  name: 'csp-nonce' | 'build' | 'home',
): string | undefined {
  const content = document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';
  return content === '' || content.startsWith('__') ? undefined : content;
}
