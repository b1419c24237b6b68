/** What these policies make is the engine's own object, which may be used wherever the text may. */
interface Policy {
  createScriptURL(url: string): string;
  createHTML(html: string): string;
}
declare global {
  /** Undefined in a browser without Trusted Types, which takes the text itself. */
  var trustedTypes: { createPolicy(name: string, rules: Partial<Policy>): Policy } | undefined;
}

const policy = (name: string, rules: Partial<Policy>): Partial<Policy> =>
  globalThis.trustedTypes?.createPolicy(name, rules) ?? rules;

/** Scripts that the page starts beside itself: the build's own, from this server. */
const OWN = /^\/(?:service-worker\.js|assets\/[\w.-]+\.js)$/;
const scripts = policy('studio-scripts', {
  createScriptURL(url) {
    const { origin, pathname, search } = new URL(url, document.baseURI);
    if (origin !== new URL(document.baseURI).origin || search !== '' || !OWN.test(pathname))
      throw new TypeError('This is no script of the studio.');
    return url;
  },
});
/**
 * HTML that is parsed into a document of its own, where nothing runs and nothing loads, and is only
 * read.
 */
const inert = policy('inert-html', { createHTML: (html) => html });

/**
 * The address of one of the build's own scripts, as the page's content policy takes it. Throws for
 * any other.
 */
export const scriptAddress = (url: string): string => scripts.createScriptURL?.(url) ?? url;
export const parseInert = (html: string): Document =>
  new DOMParser().parseFromString(inert.createHTML?.(html) ?? html, 'text/html');
