import type { AccountId, ProfileUid } from '../../../shared/contract/ids.ts';
import { compareVersions } from '../../../shared/domain/version.ts';

/** A stored document, without its text. */
export interface DocumentRow {
  profile_pk: number;
  /** Null for one that comes with the application. */
  account_id: AccountId | null;
  profile_uid: ProfileUid;
  version: string;
  visibility: string;
  digest: string;
  published: number;
  borrowed: number;
}

/** The documents that a name means in an account: those of one owner alone. */
export interface ProfileLine {
  owner: 'shipped' | 'own' | 'community' | 'borrowed' | 'nobody';
  rows: DocumentRow[];
}

const isOwn = (row: DocumentRow, account: AccountId): boolean =>
  row.account_id === account && row.borrowed === 0;
const byAge = (a: DocumentRow, b: DocumentRow): number => a.profile_pk - b.profile_pk;

/** The account that published this name first. */
export function publisherOf(rows: readonly DocumentRow[]): string | null {
  return rows.filter((row) => row.published === 1).sort(byAge)[0]?.account_id ?? null;
}

/**
 * Of the documents of one name that an account sees, those that the name means: shipped names are
 * reserved, own documents go before those of others.
 */
export function lineOf(rows: readonly DocumentRow[], account: AccountId): ProfileLine {
  const publisher = publisherOf(rows);
  const lines: ProfileLine[] = [
    { owner: 'shipped', rows: rows.filter((row) => row.account_id === null) },
    { owner: 'own', rows: rows.filter((row) => isOwn(row, account)) },
    {
      owner: 'community',
      rows: rows.filter((row) => row.published === 1 && row.account_id === publisher),
    },
    { owner: 'borrowed', rows: rows.filter((row) => row.borrowed === 1) },
  ];
  return lines.find((line) => line.rows.length > 0) ?? { owner: 'nobody', rows: [] };
}

/**
 * The documents of a version that was asked for by name; the first received first. Without a
 * version: of the newest in the line.
 */
export function namedDocuments(
  rows: readonly DocumentRow[],
  account: AccountId,
  version: string | undefined,
): DocumentRow[] {
  const line = lineOf(rows, account);
  const wanted =
    version ??
    line.rows
      .map((row) => row.version)
      .sort(compareVersions)
      .at(-1);
  const found = line.rows.filter((row) => row.version === wanted).sort(byAge);
  // What was put under a name of another owner before names had owners is still read by its
  // version. Nothing can come to these.
  if (found.length > 0 || line.owner === 'own') return found;
  const unowned = rows
    .filter((row) => row.version === wanted)
    .sort((a, b) => Number(isOwn(b, account)) - Number(isOwn(a, account)) || byAge(a, b));
  return unowned.slice(0, 1);
}

/**
 * The documents that a matrix without a name for its own may be of: the shipped one of this
 * version, else the account's own, and the one that the matrix was made with here. Where there are
 * several, no store may choose one by itself: others would choose others.
 */
export function possibleDocuments(
  rows: readonly DocumentRow[],
  account: AccountId,
  version: string,
  kept: string | null,
): DocumentRow[] {
  const of = rows.filter((row) => row.version === version).sort(byAge);
  const shipped = of.filter((row) => row.account_id === null);
  const possible = [
    ...of.filter((row) => row.digest === kept),
    ...(shipped.length > 0 ? shipped : of.filter((row) => isOwn(row, account))),
  ];
  return [...new Map(possible.map((row) => [row.digest, row])).values()];
}
