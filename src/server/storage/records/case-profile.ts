import type { AccountId, CaseUid, ProfileUid } from '../../../shared/contract/ids.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext } from '../db/context.ts';
import { needAnyCase, needCase, type StoredCase } from './cases.ts';
import { compareVersions } from '../../../shared/domain/version.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { type DocumentRow, lineOf, namedDocuments, possibleDocuments } from './profile-lines.ts';
import { pipelined } from '../db/session.ts';
import type { Placeholders } from '../db/placeholder.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { ABSENT, StoreError } from '../db/errors.ts';
import { chooseDocument, loadDocument, visibleDocuments } from './profile-read.ts';

/** What a case has of a profile's versions: which document each matrix is of. */
export interface CaseMatrixRow {
  profile_version: string;
  digest: string | null;
  named: number;
  contested: number;
}

/** The document of a case's matrix. */
export interface CaseProfileDocument {
  profile: StoredProfile;
  /** True where the case's log names the document. */
  named: boolean;
  /** Why nothing may be recorded or frozen before a person has settled which document is meant. */
  unsettled: 'contested' | 'undecided' | null;
}

interface MatricesAsked {
  account: number;
  caseUid: CaseUid;
  profileUid: ProfileUid;
}
const matricesQuery = compiledOnce(
  ({ db }, { account, caseUid, profileUid }: Placeholders<MatricesAsked>) =>
    db
      .selectFrom('matrices')
      .innerJoin('cases', (join) =>
        join
          .onRef('cases.account', '=', 'matrices.account')
          .onRef('cases.case_pk', '=', 'matrices.case_pk'),
      )
      .select([
        'matrices.profile_version',
        'matrices.digest',
        'matrices.named',
        'matrices.contested',
      ])
      .where('cases.case_uid', '=', caseUid)
      .where('matrices.account', '=', account)
      .where('matrices.profile_uid', '=', profileUid),
);

/** The matrices that a case has under the versions of a profile. */
export async function matricesOf(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  profileUid: ProfileUid,
): Promise<CaseMatrixRow[]> {
  const asked = { account: ctx.session.numberOf(account), caseUid, profileUid };
  return matricesQuery(ctx.session, asked).execute();
}

/**
 * The version that a request on a case means: the one it names, else the one the case uses, else
 * the newest.
 */
function versionOf(
  { record }: StoredCase,
  profileUid: ProfileUid,
  version: string | undefined,
  matrices: readonly CaseMatrixRow[],
  rows: readonly DocumentRow[],
  account: AccountId,
): string | undefined {
  if (version !== undefined) return version;
  if (record.profile_uid === profileUid && record.profile_version !== null)
    return record.profile_version;
  const used = matrices.map((matrix) => matrix.profile_version);
  return (used.length > 0 ? used : lineOf(rows, account).rows.map((row) => row.version))
    .sort(compareVersions)
    .at(-1);
}

/**
 * The document that a case uses under a profile's version. Throws not_found, or not_here_yet where
 * the case names a document that has not arrived.
 */
async function documentFor(
  ctx: ReadContext,
  account: AccountId,
  stored: StoredCase,
  asked: { profile_uid: ProfileUid; profile_version: string | undefined },
  matrices: readonly CaseMatrixRow[],
  rows: readonly DocumentRow[],
): Promise<CaseProfileDocument> {
  const version = versionOf(
    stored,
    asked.profile_uid,
    asked.profile_version,
    matrices,
    rows,
    account,
  );
  const matrix = matrices.find((one) => one.profile_version === version);
  if (matrix !== undefined && matrix.named === 1) {
    const row = rows.find((one) => one.version === version && one.digest === matrix.digest);
    if (row === undefined)
      throw new StoreError(
        'not_here_yet',
        'The document that this case names for the profile has not come here yet.',
      );
    return {
      profile: await loadDocument(ctx, row),
      named: true,
      unsettled: matrix.contested === 1 ? 'contested' : null,
    };
  }
  const possible =
    matrix === undefined || version === undefined
      ? []
      : possibleDocuments(rows, account, version, matrix.digest);
  const chosen = await chooseDocument(
    ctx,
    account,
    possible.length > 0 ? possible : namedDocuments(rows, account, version),
  );
  if (chosen === undefined) throw new StoreError('not_found', ABSENT.profile_uid);
  return {
    profile: await loadDocument(ctx, chosen.row),
    named: false,
    unsettled: chosen.undecided ? 'undecided' : null,
  };
}

/** The document that a request on a case means. */
export async function profileForCase(
  ctx: ReadContext,
  account: AccountId,
  stored: StoredCase,
  profileUid: ProfileUid,
  version: string | undefined,
): Promise<CaseProfileDocument> {
  const [matrices, rows] = await pipelined(
    matricesOf(ctx, account, stored.record.case_uid, profileUid),
    visibleDocuments(ctx, account, profileUid),
  );
  return documentFor(
    ctx,
    account,
    stored,
    { profile_uid: profileUid, profile_version: version },
    matrices,
    rows,
  );
}

/**
 * A case and that document, both asked for at once; `any`: also a deleted case, for what only reads
 * (V7).
 */
export async function caseAndProfile(
  ctx: ReadContext,
  account: AccountId,
  asked: MatrixQuery,
  any = false,
): Promise<CaseProfileDocument & { stored: StoredCase }> {
  const { case_uid, profile_uid } = asked;
  const [stored, matrices, rows] = await pipelined(
    (any ? needAnyCase : needCase)(ctx, account, case_uid),
    matricesOf(ctx, account, case_uid, profile_uid),
    visibleDocuments(ctx, account, profile_uid),
  );
  return { stored, ...(await documentFor(ctx, account, stored, asked, matrices, rows)) };
}

/**
 * Refuses what would have another meaning on another store: until a person has settled which
 * document is meant, nothing is recorded and nothing frozen.
 */
export function refuseUnsettled({ profile, unsettled }: CaseProfileDocument): void {
  if (unsettled === null) return;
  const { profileUid, version } = profile.document;
  const message =
    unsettled === 'contested'
      ? `Recordings of this case were made under different documents of ${profileUid} ` +
        `${version}. A person has to settle which of them holds; nothing was changed.`
      : `Several documents stand under ${profileUid} ${version}, ` +
        'and nobody has settled which of them this case is recorded under; nothing was changed.';
  throw new StoreError('contested_profile', message, [
    {
      path: '/profile_version',
      code: unsettled === 'contested' ? 'documents_contested' : 'document_undecided',
      message: 'See GET /api/v1/cases/{caseUid}/document.',
    },
  ]);
}
