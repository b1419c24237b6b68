/** Prefix of a column that holds one member of the items' metadata. */
export const METADATA = 'metadata:';

/**
 * A member of an item's metadata as a field: a text as it is, anything else as JSON. Not there:
 * empty.
 */
export function metadataText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const LOOKS_LIKE_JSON = /^[{["]/;

/**
 * A member of the metadata itself: a key such as "constructor" finds nothing that every object has.
 */
export const memberOf = (metadata: Record<string, unknown> | undefined, key: string): unknown =>
  metadata !== undefined && Object.hasOwn(metadata, key) ? metadata[key] : undefined;

/** A provenance as a field: a text as it is unless it looks like JSON, anything else as JSON. */
export function provenanceField(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' && !LOOKS_LIKE_JSON.test(value) ? value : JSON.stringify(value);
}

/** Takes back what `provenanceField` did; what only looks like JSON is a text. */
export function readProvenanceField(text: string): unknown {
  if (!LOOKS_LIKE_JSON.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
