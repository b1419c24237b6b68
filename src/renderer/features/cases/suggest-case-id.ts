const MAX_LENGTH = 64;

/** The ID that a title suggests; empty where the title has no letter or digit for an ID. */
export function suggestCaseId(title: string): string {
  return title
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9._:-]+/g, '-')
    .replaceAll(/([.:])-+/g, '$1')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, MAX_LENGTH)
    .replace(/[^a-z0-9]+$/, '');
}
