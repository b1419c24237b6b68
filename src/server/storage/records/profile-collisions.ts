import type { AccountId } from '../../../shared/contract/ids.ts';
import type {
  CollisionDecision,
  ProfileCollision,
} from '../../../shared/contract/v1/profile-documents.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { PROFILE_STREAM } from '../../../sync/register.ts';
import { author } from '../log/author.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { headsOfRegister } from './case-document.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { openStream } from '../log/change-log.ts';
import type { Actor } from '../db/actor.ts';
import { type DocumentRow, lineOf, publisherOf } from './profile-lines.ts';
import { marksOf, nameOf } from './profile-list.ts';
import { ProfileView } from './profile-view.ts';
import { StoreError } from '../db/errors.ts';
import { toEntry, visibleDocuments } from './profile-read.ts';

type FoundCollision = { row: DocumentRow; kind: ProfileCollision['kind'] };

/** How many cases of the account have a matrix of each document. */
async function casesBy(ctx: ReadContext, account: AccountId): Promise<Map<string, number>> {
  const rows = await ctx.session.db
    .selectFrom('matrices')
    .innerJoin('cases', (join) =>
      join
        .onRef('cases.account', '=', 'matrices.account')
        .onRef('cases.case_pk', '=', 'matrices.case_pk'),
    )
    .select(({ fn }) => [
      'matrices.profile_uid',
      'matrices.profile_version as version',
      'matrices.digest',
      fn.countAll<number>().as('n'),
    ])
    .where('matrices.account', '=', ctx.session.numberOf(account))
    .where('matrices.digest', 'is not', null)
    .groupBy(['matrices.profile_uid', 'matrices.profile_version', 'matrices.digest'])
    .execute();
  return new Map(rows.map((row) => [`${nameOf(row)} ${row.digest}`, Number(row.n)]));
}

/**
 * Of one name: the documents that stand under it without its being theirs, and those that share a
 * version.
 */
function collisionsOf(rows: readonly DocumentRow[], account: AccountId): FoundCollision[] {
  const isShipped = rows.some((row) => row.account_id === null);
  const publisher = publisherOf(rows);
  const foreign = rows.filter((row) => row.account_id !== null && row.borrowed === 0);
  const reserved: FoundCollision[] = isShipped
    ? foreign.map((row) => ({ row, kind: 'shipped_name' }))
    : foreign
        .filter((row) => row.published === 1 && row.account_id !== publisher)
        .map((row) => ({ row, kind: 'name_of_another' }));
  const line = lineOf(rows, account);
  const shared =
    line.owner === 'own'
      ? [...Map.groupBy(line.rows, (row) => row.version).values()]
          .filter((one) => one.length > 1)
          .flat()
      : [];
  return [
    ...reserved,
    ...shared.map((row): FoundCollision => ({ row, kind: 'several_documents' })),
  ];
}

/** Documents that need an owner's decision. */
export async function listCollisions(
  ctx: ReadContext,
  account: AccountId,
): Promise<ProfileCollision[]> {
  const names = Map.groupBy(await visibleDocuments(ctx, account), (row) => row.profile_uid);
  const found = [...names.values()].flatMap((rows) => collisionsOf(rows, account));
  if (found.length === 0) return [];
  const [cases, { chosen, decided }] = [await casesBy(ctx, account), await marksOf(ctx, account)];
  const list: ProfileCollision[] = [];
  for (const { row, kind } of found) {
    const key = `${nameOf(row)} ${row.digest}`;
    const own = row.account_id === account;
    const used = cases.get(key) ?? 0;
    if (!own && used === 0) continue;
    const choice = chosen.get(nameOf(row));
    const settled =
      choice === undefined ? null : choice === row.digest ? ('take' as const) : ('other' as const);
    const decision = decided.find((one) => `${nameOf(one)} ${one.digest}` === key)?.decision as
      | 'keep'
      | 'hide'
      | undefined;
    const { entry } = await ctx.session.db
      .selectFrom('profiles')
      .select('entry')
      .where('profile_pk', '=', row.profile_pk)
      .executeTakeFirstOrThrow();
    list.push({
      profileUid: row.profile_uid,
      version: row.version,
      digest: row.digest,
      name: toEntry({ ...row, entry }).name,
      kind,
      own,
      cases: used,
      decision: kind === 'several_documents' ? settled : (decision ?? null),
    });
  }
  return list;
}

/** Settles which of its documents a version is in the account, on every store that has its log. */
async function takeDocument(
  ctx: WriteContext,
  actor: Actor,
  { profile_uid, profile_version, digest, reason }: CollisionDecision,
): Promise<void> {
  const stream = await openStream(ctx, actor.account_id, PROFILE_STREAM);
  const view = new ProfileView(ctx, stream);
  const binding = view.binding(profile_uid, profile_version);
  await view.registers.load([binding.reg]);
  await view.heads.load([binding.reg]);
  await stream.changes.loadSeqs(view.registers.seqs());
  const parents = (await headsOfRegister(ctx, stream.pk, binding.reg))
    .map(({ entry }) => entry)
    .sort();
  const text = entryText(
    canonicalJson(parents),
    jsonString(binding.reg),
    canonicalJson({ digest }),
    parents.length === 0 ? 'set' : 'resolve',
  );
  const [span] = await author(ctx, stream, actor, [text], reason);
  await view.heads.apply(binding, { seq: span!.seq, index: 0, parents, value: { digest } });
  await view.flush();
}

/**
 * An owner's decision about a document of `listCollisions`. Cases that use it keep it, whatever is
 * decided. Throws not_found where the document needs no such decision.
 */
export async function decideCollision(
  ctx: WriteContext,
  actor: Actor,
  decided: CollisionDecision,
): Promise<void> {
  const { profile_uid, profile_version, digest, decision } = decided;
  const found = (await listCollisions(ctx, actor.account_id)).filter(
    (one) =>
      one.own &&
      one.profileUid === profile_uid &&
      one.version === profile_version &&
      one.digest === digest,
  );
  const isOne = found.some((one) => (one.kind === 'several_documents') === (decision === 'take'));
  if (!isOne)
    throw new StoreError('not_found', 'There is no such document that needs this decision.');
  if (decision === 'take') return takeDocument(ctx, actor, decided);
  const account = ctx.session.numberOf(actor.account_id);
  const key = { account, profile_uid, version: profile_version, digest };
  const set = { decision, decided_by: actor.user_id, decided_at: ctx.at };
  await ctx.session.db
    .insertInto('profile_decisions')
    .values({ ...key, ...set })
    .onConflict((oc) =>
      oc.columns(['account', 'profile_uid', 'version', 'digest']).doUpdateSet(set),
    )
    .execute();
}
