/** The nonce of this response's style policy, or undefined where the page was served without one (a development server). */
export function readCspNonce(document: Document): string | undefined {
  const meta = document.querySelector('meta[name="csp-nonce"]');
  const content = meta?.getAttribute('content') ?? '';
  return content === '' || content.startsWith('__') ? undefined : content;
}
