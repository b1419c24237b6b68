import { type AccountId, type KeyId, known, type UserId } from '../../../shared/contract/ids.ts';
import type { Sender } from '../../../shared/domain/sender.ts';
import { type Change } from '../../../sync/change.ts';
import { participantOf } from '../../../sync/layers/authors.ts';
import { type LayerAuthor, type LayerCaller, roundDenial } from '../../../sync/layers/rounds.ts';
import { parseRegister, type Register } from '../../../sync/register.ts';
import type { ReadContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import type { ValidatedChange } from '../log/log-view.ts';
import { isOfOtherStudio, keysAmong, layerCaller } from './layer-access.ts';
import { findRound } from './stored-rounds.ts';

/**
 * An entry that says something about a round, by its address alone: a later version may apply it.
 */
interface RoundWrite {
  index: number;
  register: Extract<Register, { round: string }>;
}

const roundWrites = ({ entries }: Change): RoundWrite[] =>
  entries.flatMap(({ reg }, index) => {
    const register = reg.startsWith('round/') ? parseRegister(reg) : undefined;
    return register !== undefined && 'round' in register ? [{ index, register }] : [];
  });

const recordersOf = (writes: readonly RoundWrite[]): string[] =>
  writes.flatMap(({ register }) => ('recorder' in register ? [register.recorder] : []));

const authorOf = ({ by }: Change): LayerAuthor => ({
  id: participantOf(by),
  user: by.user,
});

/**
 * Throws where the caller may not bring what a change says of rounds (YR9). What a studio may not
 * bring holds up that change alone, and none of its others.
 */
export async function permitRounds(
  ctx: ReadContext,
  account: AccountId,
  change: Change,
  index: number,
): Promise<void> {
  const writes = roundWrites(change);
  if (ctx.credential === undefined || writes.length === 0) return;
  const caller = await layerCaller(ctx, account, ctx.credential, recordersOf(writes));
  const caseUid = known.caseUid.parse(change.case);
  for (const { index: place, register } of writes) {
    const round = await findRound(ctx, account, caseUid, register.round);
    const denial =
      roundDenial(register, authorOf(change), caller, round) ??
      (register.kind === 'done' &&
      (await isOfOtherStudio(ctx, account, { ...register, case: caseUid }, caller))
        ? 'author_not_allowed'
        : undefined);
    if (denial === undefined) continue;
    throw new StoreError(caller.isStudio ? 'author_not_allowed' : denial, '', [
      {
        path: `/changes/${index}`,
        code: 'opens_round',
        message: `Entry ${place} may open what is sealed, and these credentials do not speak for who may.`,
      },
    ]);
  }
}

/** Who brought a stored change, and over which link. */
interface Brought {
  actor: UserId;
  key_id: KeyId | null;
  sent_by: string | null;
  origin: string | null;
}

async function senderCaller(
  ctx: ReadContext,
  account: AccountId,
  { actor, key_id, sent_by }: Brought,
  recorders: readonly string[],
): Promise<LayerCaller> {
  const { db } = ctx.session;
  const sender = sent_by === null ? { user_id: actor, key_id } : (JSON.parse(sent_by) as Sender);
  const key =
    sender.key_id === null
      ? undefined
      : await db
          .selectFrom('api_keys')
          .select('scopes')
          .where('account_id', '=', account)
          .where('key_id', '=', sender.key_id)
          .executeTakeFirst();
  const isStudio = key !== undefined && (JSON.parse(key.scopes) as string[]).includes('sync');
  const member = await db
    .selectFrom('members')
    .select('role')
    .where('account_id', '=', account)
    .where('user_id', '=', sender.user_id)
    .executeTakeFirst();
  const keys = await keysAmong(ctx, account, recorders);
  return {
    id: isStudio ? sender.user_id : (sender.key_id ?? sender.user_id),
    isStudio,
    isOwner: member?.role === 'owner',
    hasKey: (id) => keys.has(id),
  };
}

/**
 * The entries of a stored change that open nothing, because an earlier version took them without
 * asking who brought them (YR10). A link trusts its upstream (L7).
 */
export async function unopeningEntries(
  ctx: ReadContext,
  account: AccountId,
  { change }: Pick<ValidatedChange, 'change'>,
  brought: Brought,
): Promise<ReadonlySet<number>> {
  const writes = roundWrites(change);
  if (writes.length === 0 || brought.origin !== null) return new Set();
  const caller = await senderCaller(ctx, account, brought, recordersOf(writes));
  return new Set(
    writes.flatMap(({ index, register }) =>
      roundDenial(register, authorOf(change), caller, undefined) === undefined ? [] : [index],
    ),
  );
}
