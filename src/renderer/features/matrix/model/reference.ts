const MAX_ADDRESS = 2_000;
const DOI = /^(?:doi:\s*|(?:https?:\/\/)?(?:dx\.)?doi\.org\/)?(10\.\d{4,9}\/[^\s"<>]+)$/i;
const PMID = /^pmid:?\s*([1-9]\d{0,8})$/i;
/** Signs that end a sentence rather than an address. */
const TRAILING = /[.,;:!?'"]+$/;

/**
 * An address that may be opened: http or https, with a host and without a name or password in it.
 */
export function webAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS || !/^https?:\/\//i.test(text) || !URL.canParse(text))
    return undefined;
  const { href, username, password } = new URL(text);
  return username === '' && password === '' ? href : undefined;
}

/**
 * Where a locator leads: a DOI, a PMID or a web address that is the whole text. Everything else is
 * only a text.
 */
export function addressOf(text: string): string | undefined {
  const plain = text.trim();
  const doi = DOI.exec(plain)?.[1];
  if (doi !== undefined)
    return webAddress(
      `https://doi.org/${encodeURI(doi).replaceAll('#', '%23').replaceAll('?', '%3F')}`,
    );
  const pmid = PMID.exec(plain)?.[1];
  if (pmid !== undefined) return `https://pubmed.ncbi.nlm.nih.gov/${pmid}/`;
  return webAddress(plain);
}

export interface Reference {
  start: number;
  text: string;
  address: string;
}

const CANDIDATE = /https?:\/\/[^\s<>"]+|doi:\s?10\.\d{4,9}\/[^\s<>"]+|PMID:?\s?[1-9]\d{0,8}\b/giu;

/**
 * The references inside a running text, in order. A bracket that the address did not open belongs
 * to the sentence.
 */
export function referencesIn(text: string): Reference[] {
  const found: Reference[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    if (match[0].length > 2 * MAX_ADDRESS) continue;
    let candidate = match[0].replace(TRAILING, '');
    while (candidate.endsWith(')') && candidate.split('(').length < candidate.split(')').length)
      candidate = candidate.slice(0, -1).replace(TRAILING, '');
    const address = addressOf(candidate);
    if (address !== undefined) found.push({ start: match.index, text: candidate, address });
  }
  return found;
}
