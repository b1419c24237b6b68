import type { AccountId, CaseUid, ProfileUid } from '../../../shared/contract/ids.ts';
import type {
  CaseDocument,
  DocumentSettling,
} from '../../../shared/contract/v1/profile-documents.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { author } from '../log/author.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { matricesOf, profileForCase } from './case-profile.ts';
import { CaseView } from './case-view.ts';
import { needAnyCase, needCase, type StoredCase } from './cases.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { documentReg } from './document-map.ts';
import { openStream } from '../log/change-log.ts';
import type { Actor } from '../db/actor.ts';
import { Changes, headOf } from './authorship.ts';
import { StoreError } from '../db/errors.ts';
import { toEntry, visibleDocuments } from './profile-read.ts';

type DocumentHeads = CaseDocument['heads'];

/** What a log says in a register, the displayed head first. */
export async function headsOfRegister(
  ctx: ReadContext,
  streamPk: number,
  reg: string,
): Promise<DocumentHeads> {
  const { db } = ctx.session;
  const shown = await db
    .selectFrom('registers')
    .select(['head_seq', 'head_index'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', streamPk)
    .where('reg', '=', reg)
    .executeTakeFirst();
  if (shown === undefined) return [];
  const others = await db
    .selectFrom('extra_heads')
    .select(['seq', 'idx'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', streamPk)
    .where('reg', '=', reg)
    .orderBy('seq')
    .orderBy('idx')
    .execute();
  const changes = new Changes(ctx, streamPk);
  await changes.load([shown.head_seq, ...others.map(({ seq }) => seq)]);
  const heads = [await headOf(changes, { seq: shown.head_seq, index: shown.head_index }, true)];
  for (const { seq, idx } of others) heads.push(await headOf(changes, { seq, index: idx }, false));
  return heads;
}

async function stateOf(
  ctx: ReadContext,
  account: AccountId,
  stored: StoredCase,
  profileUid: ProfileUid,
  version: string | undefined,
): Promise<{ version: string; state: CaseDocument['state']; digest: string | null }> {
  try {
    const { profile, named, unsettled } = await profileForCase(
      ctx,
      account,
      stored,
      profileUid,
      version,
    );
    return {
      version: profile.document.version,
      state: unsettled ?? (named ? 'named' : 'fallback'),
      digest: profile.entry.digest,
    };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'not_here_yet') throw error;
    const matrices = await matricesOf(ctx, account, stored.record.case_uid, profileUid);
    const own = stored.record.profile_uid === profileUid ? stored.record.profile_version : null;
    return {
      version: version ?? own ?? (matrices[0]?.profile_version as string),
      state: 'missing',
      digest: null,
    };
  }
}

/** The documents that stand under a version, as far as the account sees them. */
async function documentsUnder(
  ctx: ReadContext,
  account: AccountId,
  profileUid: ProfileUid,
  version: string,
): Promise<CaseDocument['documents']> {
  const rows = (await visibleDocuments(ctx, account, profileUid))
    .filter((row) => row.version === version)
    .sort((a, b) => a.profile_pk - b.profile_pk);
  const digests = new Map(rows.map((row) => [row.digest, row]));
  const documents: CaseDocument['documents'] = [];
  for (const row of digests.values()) {
    const { entry } = await ctx.session.db
      .selectFrom('profiles')
      .select('entry')
      .where('profile_pk', '=', row.profile_pk)
      .executeTakeFirstOrThrow();
    documents.push(toEntry({ ...row, entry }));
  }
  return documents;
}

/** Which document the matrix of a case is of. */
export async function caseDocument(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  profileUid: ProfileUid,
  wanted: string | undefined,
): Promise<CaseDocument> {
  const stored = await needAnyCase(ctx, account, caseUid);
  const { version, state, digest } = await stateOf(ctx, account, stored, profileUid, wanted);
  const heads = await headsOfRegister(ctx, stored.streamPk, documentReg(profileUid, version));
  return {
    profile_uid: profileUid,
    profile_version: version,
    digest,
    state,
    heads,
    documents: await documentsUnder(ctx, account, profileUid, version),
  };
}

/**
 * A person settles which document a matrix is of: one entry that names every head (H7). Throws
 * conflict if the heads are not those that the person was shown.
 */
export async function settleCaseDocument(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  settling: DocumentSettling,
): Promise<{ profile_uid: ProfileUid; profile_version: string; digest: string }> {
  const { profile_uid, profile_version, digest, reason } = settling;
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const stored = await needCase(ctx, actor.account_id, caseUid);
  if (stored.stage === 'approved') throw new StoreError('case_approved', '');
  const { heads, documents } = await caseDocument(
    ctx,
    actor.account_id,
    caseUid,
    profile_uid,
    profile_version,
  );
  const shown = new Set(settling.heads);
  if (heads.length !== shown.size || !heads.every(({ entry }) => shown.has(entry))) {
    throw new StoreError(
      'conflict',
      'Other values have come since, or it is settled. Nothing was changed.',
      [
        {
          path: '/heads',
          code: 'other_heads',
          message: 'Read which document the case names again.',
        },
      ],
    );
  }
  if (!documents.some((one) => one.digest === digest))
    throw new StoreError('not_found', 'There is no such document under this version.');
  const view = new CaseView(ctx, stream, stored);
  const binding = view.documents.binding(profile_uid, profile_version);
  await view.registers.load([binding.reg]);
  await view.heads.load([binding.reg]);
  await stream.changes.loadSeqs(view.registers.seqs());
  const parents = [...shown].sort();
  const text = entryText(
    canonicalJson(parents),
    jsonString(binding.reg),
    canonicalJson({ digest }),
    parents.length === 0 ? 'set' : 'resolve',
  );
  const [span] = await author(ctx, stream, actor, [text], reason);
  await view.heads.apply(binding, { seq: span!.seq, index: 0, parents, value: { digest } });
  await view.flush();
  return { profile_uid, profile_version, digest };
}
