/** The words of a heading or a name: lower case, split at signs and at capitals within a word. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** A heading in one form, so that `Variant_ID`, `variantId` and "Variant ID" are the same. */
export const foldHeading = (text: string): string => wordsOf(text).join(' ');

export type HeadingKind =
  | 'id'
  | 'label'
  | 'item_type'
  | 'notes'
  | 'hgvs_c'
  | 'hgvs_p'
  | 'gene'
  | 'allele_frequency'
  | 'date';

/** What each kind is called for a reader. */
export const KIND_WORDS: Record<HeadingKind, string> = {
  id: 'ID',
  label: 'label',
  item_type: 'type',
  notes: 'notes',
  hgvs_c: 'HGVS c.',
  hgvs_p: 'HGVS p.',
  gene: 'gene',
  allele_frequency: 'allele frequency',
  date: 'date',
};

/** In the order of trust: of two headings that say ID the earlier word is the likelier one. */
const SYNONYMS: Record<HeadingKind, readonly string[]> = {
  id: [
    ...['item uid', 'item id', 'uid', 'id', 'variant id', 'gene id', 'sample id', 'clone id'],
    ...['record id', 'entry id', 'subject id', 'patient id', 'individual id', 'case id'],
    ...['assay id', 'guide id', 'claim id', 'question id', 'identifier', 'accession'],
    ...['accession number', 'rsid', 'rs id', 'variant', 'sample', 'sample name', 'clone', 'item'],
    ...['individual', 'patient', 'subject', 'name', 'gene', 'gene symbol', 'key'],
  ],
  label: [
    ...['label', 'display name', 'short name', 'title', 'name', 'item', 'item name', 'sample name'],
    ...['variant name', 'description'],
  ],
  item_type: [
    ...['item type', 'type', 'kind', 'category', 'variant type', 'sample type', 'variant class'],
  ],
  notes: [
    ...['notes', 'note', 'comment', 'comments', 'remark', 'remarks', 'curator comment'],
    ...['curator comments', 'curator notes', 'free text', 'observations', 'bemerkung', 'kommentar'],
  ],
  hgvs_c: [
    ...['hgvs c', 'hgvsc', 'c hgvs', 'hgvs cdna', 'hgvs coding', 'hgvs nucleotide', 'c dna'],
    ...['cdna', 'cdna change', 'coding change', 'c change', 'nucleotide change'],
  ],
  hgvs_p: [
    ...['hgvs p', 'hgvsp', 'p hgvs', 'hgvs protein', 'protein change', 'p change'],
    ...['amino acid change', 'aa change', 'aachange'],
  ],
  gene: ['gene', 'gene symbol', 'gene name', 'hgnc', 'hgnc symbol', 'symbol', 'genes'],
  allele_frequency: [
    ...['af', 'maf', 'allele frequency', 'allele freq', 'minor allele frequency', 'gnomad af'],
    ...['gnom ad af', 'gnomad', 'gnomad frequency', 'gnomad allele frequency', 'popmax af'],
    ...['popmax', 'population frequency', 'frequency', 'faf', 'exac af', '1000g af'],
  ],
  date: [
    ...['date', 'day', 'reviewed on', 'review date', 'report date', 'date reviewed', 'datum'],
    ...['collection date', 'sampling date', 'date of birth', 'last updated', 'updated'],
  ],
};

const RANKS: ReadonlyMap<HeadingKind, ReadonlyMap<string, number>> = new Map(
  (Object.keys(SYNONYMS) as HeadingKind[]).map((kind) => [
    kind,
    new Map(SYNONYMS[kind].map((word, rank) => [word, rank])),
  ]),
);

/**
 * How early a heading stands among the synonyms of a kind, from 0; undefined where it is none.
 */
export const rankAs = (heading: string, kind: HeadingKind): number | undefined =>
  RANKS.get(kind)?.get(foldHeading(heading));
