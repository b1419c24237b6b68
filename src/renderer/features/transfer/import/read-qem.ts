import { z } from 'zod';
import { Metadata, Provenance } from '../../../../shared/contract/common.ts';
import { matrixContradiction, QemMatrix } from '../../../../shared/domain/qem-matrix.ts';
import { ProfileUid } from '../../../../shared/domain/uid.ts';
import type { MatrixSession } from '../../../data/store/port.ts';
import { FileProblem } from '../../../files/table.ts';
import { t, tOf } from '../../../text/t.ts';
import type { JsonEntry, ReadCell } from './json-entry.ts';

/** The matrix that a file is read for. */
export type Asking = Pick<MatrixSession, 'profile' | 'rules'>;

/** The file is a matrix under another profile than the one that it was read for. */
export class OtherProfile extends FileProblem {
  readonly profileUid: ProfileUid;
  constructor(profileUid: ProfileUid, ours: string) {
    super(
      t(
        'The file is a matrix under the profile {theirs}, and this one is under {ours}. The same rule ID may ask something else there, so nothing is read.',
        { theirs: profileUid, ours },
      ),
    );
    this.profileUid = profileUid;
  }
}

const refused = (place: string, problem: string): FileProblem =>
  new FileProblem(
    place === ''
      ? t('The file is no matrix of the public schema: {problem}', { problem })
      : t('The file is no matrix of the public schema, at {place}: {problem}', { place, problem }),
  );

/** Whether a document says that it is one of the public schema, by members that only those have. */
export function isQem(value: Record<string, unknown>): boolean {
  const { outcomes } = value;
  return (
    Object.hasOwn(value, 'standard') ||
    Object.hasOwn(value, 'matrix') ||
    (Array.isArray(outcomes) &&
      outcomes.some((one: unknown) => z.object({ xij: z.unknown() }).safeParse(one).success))
  );
}

function checked<T>(schema: z.ZodType<T>, value: unknown, place = ''): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw refused(issue?.path.join('.') || place, tOf(issue?.message ?? ''));
}

/** An export writes a provenance that is a text as an object, since the schema knows no other. */
function provenanceOf(provenance: Record<string, unknown>, place: string): ReadCell['provenance'] {
  const isText = Object.keys(provenance).length === 1 && typeof provenance['text'] === 'string';
  return checked(Provenance, isText ? provenance['text'] : provenance, place);
}

/**
 * The items and outcomes of `qem-matrix.json`. A document under another profile is refused, since
 * the same rule ID may ask something else there, and so is one whose matrix contradicts it.
 */
export function ofQem(value: unknown, { profile, rules }: Asking): JsonEntry[] {
  const document = checked(QemMatrix, value);
  if (document.profile_uid !== profile.profileUid)
    throw new OtherProfile(document.profile_uid, profile.name);
  const contradiction = matrixContradiction(document, rules);
  if (contradiction !== undefined)
    throw refused(
      `matrix.${contradiction.row}.${contradiction.column}`,
      t('It contradicts the outcomes: FALSE is 1, all else is 0, a column for each rule.'),
    );
  const cellsByItem = new Map<string, ReadCell[]>();
  for (const [at, { item_uid, xij: _, provenance, ...cell }] of document.outcomes.entries()) {
    const cells = cellsByItem.get(item_uid) ?? [];
    cells.push({
      ...cell,
      ...(provenance !== undefined && {
        provenance: provenanceOf(provenance, `outcomes.${at}.provenance`),
      }),
    });
    cellsByItem.set(item_uid, cells);
  }
  return document.items.map(({ metadata, ...item }, at) => ({
    item: {
      ...item,
      ...(metadata !== undefined && {
        metadata: checked(Metadata, metadata, `items.${at}.metadata`),
      }),
    },
    cells: cellsByItem.get(item.item_uid) ?? [],
    line: at + 1,
  }));
}

/** Larger files are not looked into before they are read. */
const MOST_BYTES = 10 * 1024 * 1024;

/** The profile that a file of the public schema is under; undefined for any other file. */
export async function profileOfFile(file: File): Promise<ProfileUid | undefined> {
  if (!/\.json$/i.test(file.name) || file.size > MOST_BYTES) return undefined;
  try {
    const document = z
      .looseObject({ profile_uid: ProfileUid })
      .parse(JSON.parse(await file.text()));
    return isQem(document) ? document.profile_uid : undefined;
  } catch {
    return undefined;
  }
}
