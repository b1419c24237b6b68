import type { AccountId } from '../../../shared/contract/ids.ts';
import { mayRelay } from '../../../shared/contract/rights.ts';
import { participantIdOf } from '../../../shared/contract/participant.ts';
import type { WireChange } from '../../../shared/contract/sync.ts';
import { type Change, ChangeShape } from '../../../sync/change.ts';
import { participantOf } from '../../../sync/layers/authors.ts';
import {
  type LayerAuthor,
  type LayerCaller,
  layerDenial,
  mayReadLayer,
} from '../../../sync/layers/rounds.ts';
import { type Layer, layerStream } from '../../../sync/register.ts';
import type { ReadContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { findRound } from './stored-rounds.ts';

/**
 * Whether a layer is given to the caller (YR6): what follows depends on this alone, so that a
 * sealed layer and none are answered alike, and as fast. What the server does by itself has no
 * caller.
 */
export async function isGiven(
  ctx: ReadContext,
  account: AccountId,
  layer: Layer,
): Promise<boolean> {
  if (ctx.credential === undefined) return true;
  const round = await findRound(ctx, account, layer.case, layer.round);
  return mayReadLayer(layer, round, { id: participantIdOf(ctx.credential) });
}

/** For whom alone a layer is now; undefined for everybody who reads the case. */
export async function sealedFor(
  ctx: ReadContext,
  account: AccountId,
  layer: Layer,
): Promise<string | undefined> {
  const round = await findRound(ctx, account, layer.case, layer.round);
  return round?.state === 'released' ? undefined : layer.recorder;
}

/** Which of these ids are keys of this server's own. */
export async function keysAmong(
  { session }: ReadContext,
  account: AccountId,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await session.db
    .selectFrom('api_keys')
    .select('key_id')
    .where('account_id', '=', account)
    .where(session.inList('key_id', [...new Set(ids)]))
    .execute();
  return new Set(rows.map(({ key_id }) => key_id));
}

/** The caller as the rules of layers see them; `recorders` are whom the question is about. */
export async function layerCaller(
  ctx: ReadContext,
  account: AccountId,
  credential: NonNullable<ReadContext['credential']>,
  recorders: readonly string[],
): Promise<LayerCaller> {
  const isStudio = mayRelay(credential);
  const keys = isStudio ? await keysAmong(ctx, account, recorders) : new Set<string>();
  return {
    id: participantIdOf(credential),
    isStudio,
    isOwner: credential.role === 'owner',
    hasKey: (id) => keys.has(id),
  };
}

/**
 * Whether a layer of a key that this server does not know is brought by another studio than the one
 * that brought its beginning: any studio could state any such key.
 */
export async function isOfOtherStudio(
  { session }: ReadContext,
  account: AccountId,
  layer: Layer,
  { id, isStudio, hasKey }: LayerCaller,
): Promise<boolean> {
  if (!isStudio || layer.recorder === id || hasKey(layer.recorder)) return false;
  const first = await session.db
    .selectFrom('streams')
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'streams.account')
        .onRef('changes.stream_pk', '=', 'streams.stream_pk'),
    )
    .select('changes.actor')
    .where('streams.account', '=', session.numberOf(account))
    .where('streams.name', '=', layerStream(layer))
    .where('changes.seq', '=', 1)
    .executeTakeFirst();
  return first !== undefined && first.actor !== id;
}

const NOBODY: LayerAuthor = { id: undefined, user: '' };

/** The author that a change states; nobody where its text is no change. */
function statedAuthor(text: string): LayerAuthor {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return NOBODY;
  }
  if (!ChangeShape.safeParse(parsed).success) return NOBODY;
  const { by } = parsed as Change;
  return { id: participantOf(by), user: by.user };
}

/**
 * Throws where a server does not take these changes of a layer from the caller. Nothing of the
 * layer's log is asked before: whoever may not read it learns nothing of it, not even by waiting.
 */
export async function permitLayer(
  ctx: ReadContext,
  account: AccountId,
  layer: Layer,
  changes: readonly WireChange[],
  absent: string,
): Promise<void> {
  if (ctx.credential === undefined) return;
  const round = await findRound(ctx, account, layer.case, layer.round);
  const caller = await layerCaller(ctx, account, ctx.credential, [layer.recorder]);
  const isOpen = round?.state !== 'released';
  if (isOpen && (await isOfOtherStudio(ctx, account, layer, caller)))
    throw new StoreError('not_found', absent);
  for (const [index, { change }] of changes.entries()) {
    const denial = layerDenial(layer, round, caller, statedAuthor(change));
    if (denial === undefined) continue;
    if (denial === 'not_found') throw new StoreError('not_found', absent);
    throw new StoreError(denial, '', [
      {
        path: `/changes/${index}`,
        code: 'other_recorder',
        message: 'These credentials record nothing in this layer.',
      },
    ]);
  }
}
