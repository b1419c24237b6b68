import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';
import { participantIdOf } from '../../../shared/contract/participant.ts';
import { mayReadLayer, type RecordingRound } from '../../../sync/layers/rounds.ts';
import { AFTER_LAYERS, FIRST_LAYER, type Layer, layerOf } from '../../../sync/register.ts';
import type { ReadContext } from '../db/context.ts';
import { isInReach } from '../db/permit.ts';
import { roundsOfCases } from './stored-rounds.ts';

/** A log of a layer that holds something. */
interface StoredLayer {
  name: StreamName;
  chain: string;
  layer: Layer;
}

async function storedLayers({ session }: ReadContext, account: AccountId): Promise<StoredLayer[]> {
  const rows = await session.db
    .selectFrom('streams')
    .select(['name', 'chain'])
    .where('account', '=', session.numberOf(account))
    .where('name', '>=', FIRST_LAYER)
    .where('name', '<', AFTER_LAYERS)
    .where('seq', '>', 0)
    .orderBy('name')
    .execute();
  return rows.flatMap((row) => {
    const layer = layerOf(row.name);
    return layer === undefined ? [] : [{ ...row, layer }];
  });
}

/** Each layer with the round that it is of, as far as the caller's key reaches the case. */
async function withRounds(
  ctx: ReadContext,
  account: AccountId,
  layers: readonly StoredLayer[],
): Promise<(StoredLayer & { round: RecordingRound | undefined })[]> {
  const cases = [...new Set(layers.map(({ layer }) => layer.case))];
  const rounds = await roundsOfCases(ctx, account, cases);
  const reached = new Set<string>();
  for (const name of cases) if (await isInReach(ctx, account, name)) reached.add(name);
  return layers
    .filter(({ layer }) => reached.has(layer.case))
    .map((one) => {
      const round = rounds.get(one.layer.case)?.find(({ id }) => id === one.layer.round);
      return { ...one, round };
    });
}

/** The layers that are given to the caller (YR6), in order of name. */
export async function givenLayers(ctx: ReadContext, account: AccountId): Promise<StreamName[]> {
  const stored = await storedLayers(ctx, account);
  if (stored.length === 0) return [];
  const { credential } = ctx;
  if (credential === undefined) return stored.map(({ name }) => name);
  const id = participantIdOf(credential);
  return (await withRounds(ctx, account, stored)).flatMap(({ name, layer, round }) =>
    mayReadLayer(layer, round, { id }) ? [name] : [],
  );
}

/**
 * What the caller's own sealed layers add to the account's change token, which they do not move;
 * empty for everybody else.
 */
export async function sealedToken(ctx: ReadContext, account: AccountId): Promise<string> {
  const { credential, ports } = ctx;
  if (credential === undefined) return '';
  const id = participantIdOf(credential);
  const own = (await storedLayers(ctx, account)).filter(({ layer }) => layer.recorder === id);
  if (own.length === 0) return '';
  const sealed = (await withRounds(ctx, account, own)).filter(
    ({ layer, round }) => round?.state === 'open' && mayReadLayer(layer, round, { id }),
  );
  return sealed.length === 0
    ? ''
    : ports.hasher
        .sha256Hex(sealed.map(({ name, chain }) => `${name} ${chain}`).join())
        .slice(0, 22);
}
