import {
  type AccountId,
  type StreamName,
  type UserId,
  known,
} from '../../../shared/contract/ids.ts';
import { nameOf } from '../../../sync/change.ts';
import { hlcMs, MAX_AHEAD, seeHlc } from '../../../sync/clock.ts';
import { passAlong } from '../../../sync/link.ts';
import type { Sender } from '../../../shared/domain/sender.ts';
import type { WireChange } from '../../../shared/contract/sync.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { MAX_ITEMS } from '../../../shared/contract/v1/evidence.ts';
import type { StoredCase } from '../records/cases.ts';
import { heldChanges } from '../log/change-index.ts';
import type { WriteContext } from '../db/context.ts';
import { moveLink, originOf, type LinkKey, type LinkRow } from './links.ts';
import { refuseUncited } from '../layers/policy.ts';
import { refuseLater } from '../sign-off/permit.ts';
import type { ValidatedChange } from '../log/log-view.ts';
import { caseOf, openView } from '../records/open-view.ts';
import { type Actor, senderOf } from '../db/actor.ts';
import { NO_LOG, reachLog } from '../db/permit.ts';
import { layerOf } from '../../../sync/register.ts';
import { permitLayer, sealedFor } from '../rounds/layer-access.ts';
import { append, openStream, positionOf, type Stream } from '../log/change-log.ts';
import { pipelined } from '../db/session.ts';
import { StoreError } from '../db/errors.ts';
import { type Witness, chainOf, checkChain, type LogPosition } from '../log/log-position.ts';
import { validate, type Authors } from './validate-changes.ts';

/**
 * V8: a client's push may be refused for size. What another server's log already holds has to be
 * accepted.
 */
function refuseOverfull(changes: readonly WireChange[], change: ValidatedChange | undefined): void {
  if (change === undefined) return;
  const message = `A case holds at most ${MAX_ITEMS} items.`;
  throw new StoreError('validation_failed', `${message} Nothing was stored.`, [
    {
      path: `/changes/${changes.findIndex(({ id }) => id === change.id)}`,
      code: 'too_many_items',
      message,
    },
  ]);
}

/**
 * Who sent each change, and over which link it came; `origin` is null where a client sent it
 * directly.
 */
interface PushSource {
  actor(id: string): UserId;
  origin: string | null;
  /** Undefined where it is the actor. */
  sender(id: string): Sender | undefined;
  authors: Authors;
  /** Names of users that are known without asking the database. */
  names: ReadonlyMap<string, string>;
}

/**
 * Opens a log for appending, with what is known of these changes and of the case behind it. The
 * queries go to the database together, the one that takes the lock first, so that the others read
 * under it.
 */
async function openLog(
  ctx: WriteContext,
  account: AccountId,
  name: StreamName,
  changes: readonly WireChange[],
  witness?: Witness,
): Promise<{ stream: Stream; found: StoredCase | undefined }> {
  const ids = changes.map(({ id }) => id);
  const [stream, found, held, seen] = await pipelined(
    openStream(ctx, account, name),
    caseOf(ctx, account, name),
    heldChanges(ctx, account, name, ids),
    chainOf(ctx, account, name, witness),
  );
  checkChain(ctx, witness, seen);
  stream.changes.learn(ids, held);
  const layer = layerOf(name);
  if (layer !== undefined) stream.sealedFor = await sealedFor(ctx, account, layer);
  return { stream, found };
}

/**
 * Appends the changes that are new and applies them to the tables. The result does not depend on
 * how often or in what portions they arrive.
 */
async function merge(
  ctx: WriteContext,
  { stream, found }: { stream: Stream; found: StoredCase | undefined },
  changes: readonly WireChange[],
  source: PushSource,
): Promise<Pushed> {
  const view = await openView(ctx, stream, found);
  const fresh = await validate(ctx, { stream, found }, changes, source.authors);
  if (source.authors === 'own')
    await refuseUncited(ctx, { stream, found }, changes, fresh.values());
  if (found?.stage === 'approved' && source.authors === 'own') refuseLater(ctx, fresh.values());
  const [names] = await pipelined(
    userNames(ctx, stream.account, source.names, [
      ...[...fresh.values()].map(({ change }) => change.by.user),
      ...changes.map(({ id }) => source.actor(id)),
    ]),
    view.prepare([...fresh.values()]),
  );
  if (source.origin === null) refuseOverfull(changes, view.overfull([...fresh.values()]));
  const results: Pushed['results'] = [];
  for (const { id } of changes) {
    const received = fresh.get(id);
    const held = stream.changes.byId(id);
    if (held !== undefined)
      results.push({
        id,
        status: 'duplicate',
        seq: held.seq,
        quarantined: held.quarantined === null ? [] : (JSON.parse(held.quarantined) as number[]),
      });
    else if (received !== undefined) {
      const seq = appendReceived(ctx, stream, received, source, names);
      await view.apply(received, seq);
      results.push({
        id,
        status: received.quarantined.length === 0 ? 'applied' : 'quarantined',
        seq,
        quarantined: received.quarantined,
      });
    }
  }
  if (fresh.size > 0) await view.flush();
  const oldest = [...fresh.values()].reduce<string | null>(
    (least, { change }) => (least === null || change.hlc < least ? change.hlc : least),
    null,
  );
  return { results, position: positionOf(stream, ctx.epoch), oldest };
}

/** Changes that a client sends. */
export async function push(
  ctx: WriteContext,
  actor: Actor,
  name: StreamName,
  changes: readonly WireChange[],
  witness: Witness | undefined,
  authors: Authors = 'own',
): Promise<Pushed> {
  const layer = layerOf(name);
  await reachLog(ctx, actor.account_id, layer?.case ?? name);
  if (layer !== undefined) await permitLayer(ctx, actor.account_id, layer, changes, NO_LOG);
  const log = await openLog(ctx, actor.account_id, name, changes, witness);
  // Nor may a change create a case in a project out of reach, or move one there.
  ctx.beforeCommit.push(() => reachLog(ctx, actor.account_id, layer?.case ?? name));
  return merge(ctx, log, changes, {
    actor: () => actor.user_id,
    origin: null,
    sender: () => senderOf(actor),
    authors,
    names: new Map([[actor.user_id, actor.user_name]]),
  });
}

/**
 * Stores a page of another server's log together with the link's next row (R1). Returns undefined
 * and stores nothing if the link's row has changed since the request (R3). If nothing was waiting
 * to be sent before, the link's send position moves past the changes that it has just brought: they
 * are not sent back.
 */
export async function receive(
  ctx: WriteContext,
  account: AccountId,
  name: StreamName,
  { changes, link }: ReceivedPage,
): Promise<Received | undefined> {
  const log = await openLog(ctx, account, name, changes);
  const { stream } = log;
  if (!(await moveLink(ctx, stream.pk, link.from, link.to))) return undefined;
  const before = stream.seq;
  const sent = new Map(changes.map((change) => [change.id, change]));
  // The other server has asked its own rules about whoever sent it there.
  const merged = await merge(ctx, log, changes, {
    actor: (id) => known.userId.parse(sent.get(id)?.actor),
    origin: originOf(link.to),
    sender: (id) => sent.get(id)?.sent_by,
    authors: 'any',
    names: new Map(),
  });
  const next = passAlong(link.to, before, stream.seq);
  if (next !== link.to) await moveLink(ctx, stream.pk, link.to, next);
  return { ...merged, link: next };
}

function appendReceived(
  ctx: WriteContext,
  stream: Stream,
  { id, text, change, quarantined }: ValidatedChange,
  source: PushSource,
  names: ReadonlyMap<string, string>,
): number {
  const { by, hlc } = change;
  stream.hlc = seeHlc(stream.hlc, hlc, ctx.now).last;
  const actor = source.actor(id);
  const author = by.agent ?? names.get(by.user) ?? nameOf(by) ?? by.user;
  const sender = source.sender(id) ?? {
    user_id: actor,
    name: names.get(actor) ?? (by.user === actor ? (nameOf(by) ?? null) : null),
    key_id: by.user === actor ? by.key : null,
    key_name: by.user === actor ? by.agent : null,
  };
  const seq = append(ctx, stream, {
    id,
    text,
    hlc,
    wall: change.wall,
    actor,
    author,
    authorKind: by.kind,
    keyId: by.key,
    why: change.why,
    relayed: by.user !== actor || (by.kind === 'agent' && by.key !== sender.key_id),
    clockSuspect: hlcMs(hlc) > ctx.now + MAX_AHEAD,
    quarantined,
    origin: source.origin,
    sentBy: canonicalJson(sender),
  });
  stream.changes.add(
    {
      seq,
      id,
      hlc,
      receivedAt: ctx.at,
      author,
      authorKind: by.kind,
      keyId: by.key,
      quarantined: quarantined.length === 0 ? null : JSON.stringify(quarantined),
    },
    change,
    quarantined,
  );
  return seq;
}

/**
 * Display names of users who are members of the account. `named` are those that need not be looked
 * up.
 */
async function userNames(
  ctx: WriteContext,
  account: AccountId,
  named: ReadonlyMap<string, string>,
  users: readonly UserId[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(users)].filter((user) => !named.has(user));
  if (wanted.length === 0) return named;
  const rows = await ctx.session.db
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select(['users.user_id', 'users.name'])
    .where('account_id', '=', account)
    .where('members.user_id', 'in', ctx.session.list(wanted))
    .execute();
  return new Map([...named, ...rows.map((row) => [row.user_id, row.name] as const)]);
}

export interface Pushed {
  results: {
    id: string;
    status: 'applied' | 'duplicate' | 'quarantined';
    seq: number;
    quarantined: number[];
  }[];
  position: LogPosition;
  /** Clock value of the oldest change that was new, or null. */
  oldest: string | null;
}

/**
 * A page of another server's log: its changes, each with the user who sent it there, and the link's
 * row before and after it is stored.
 */
export interface ReceivedPage {
  changes: readonly (WireChange & { actor: UserId; sent_by?: Sender | undefined })[];
  link: { from: LinkKey | undefined; to: LinkRow };
}

export interface Received extends Pushed {
  link: LinkRow;
}
