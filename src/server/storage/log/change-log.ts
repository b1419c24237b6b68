import type { AccountId, KeyId, StreamName, UserId } from '../../../shared/contract/ids.ts';
import { ACCOUNT_HINT } from '../../../shared/contract/sync.ts';
import { HLC_ZERO } from '../../../sync/clock.ts';
import { addToSum, EMPTY_CHAIN, EMPTY_SUM, nextChain } from '../../../sync/log.ts';
import { ChangeIndex } from './change-index.ts';
import { columnText } from '../db/column-text.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { WriteContext } from '../db/context.ts';
import { pack } from '../db/packed.ts';
import type { GrownLog } from '../db/grown-log.ts';
import { noteMore } from '../db/quotas.ts';
import { pipelined } from '../db/session.ts';
import type { Placeholders } from '../db/placeholder.ts';
import type { LogPosition } from './log-position.ts';

/** One change as it is appended: what was hashed, and what this store says about it. */
export interface Appended {
  id: string;
  text: string;
  hlc: string;
  wall: string;
  actor: UserId;
  author: string;
  authorKind: string;
  keyId: KeyId | null;
  why: string | null;
  relayed: boolean;
  clockSuspect: boolean;
  quarantined: readonly number[];
  /** `<epoch>/<gen>` of the link that brought it, or null. */
  origin: string | null;
  /** JSON `Sender`, or null for what this server itself writes. */
  sentBy: string | null;
}

/**
 * The changes that last touched a case's items (`items`) and the cells of each matrix
 * (`<profile_uid>@<version>`); `*` stands for those that are not named.
 */
export type States = Record<string, string>;

/**
 * A log that is being appended to, under its row's lock, so that order of commits is order of
 * numbers.
 */
export interface Stream {
  pk: number;
  account: AccountId;
  name: StreamName;
  seq: number;
  chain: string;
  sum: string;
  hlc: string;
  states: States;
  /** Of a sealed layer: the recorder who alone may hear of it. */
  sealedFor?: string | undefined;
  changes: ChangeIndex;
  /** Appended and not yet in the table. */
  pending: { row: readonly unknown[]; packed: Promise<Uint8Array> | undefined; text: string }[];
}

const streamQuery = compiledOnce(
  ({ db, lock }, { account, name }: Placeholders<{ account: number; name: StreamName }>) =>
    db
      .selectFrom('streams')
      .selectAll()
      .where('account', '=', account)
      .where('name', '=', name)
      .modifyEnd(lock),
);

/** Opens the stream for appending; creates it where there is none. */
export async function openStream(
  ctx: WriteContext,
  account: AccountId,
  name: StreamName,
): Promise<Stream> {
  const number = ctx.session.numberOf(account);
  let row = await streamQuery(ctx.session, { account: number, name }).executeTakeFirst();
  row ??= await ctx.session.db
    .insertInto('streams')
    .values({
      account: number,
      stream_pk: ctx.session.nextNumber('streams', number),
      name,
      seq: 0,
      chain: EMPTY_CHAIN,
      count: 0,
      sum: EMPTY_SUM,
      hlc: HLC_ZERO,
      states: '{}',
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return {
    pk: row.stream_pk,
    account,
    name,
    seq: row.seq,
    chain: row.chain,
    sum: row.sum,
    hlc: row.hlc,
    states: JSON.parse(row.states) as States,
    changes: new ChangeIndex(ctx.session, row.stream_pk),
    pending: [],
  };
}

/** Names the log's last change: what is written with it is of this state. */
export const stateOf = ({ seq, chain }: Pick<Stream, 'seq' | 'chain'>): string =>
  `${seq}.${chain.slice(0, 32)}`;

export function positionOf(
  stream: Pick<Stream, 'seq' | 'chain' | 'sum'>,
  epoch: string,
): LogPosition {
  return { epoch, seq: stream.seq, chain: stream.chain, count: stream.seq, sum: stream.sum };
}

/** Appends one change; returns its number. Written to the table by `flushStream`. */
export function append(ctx: WriteContext, stream: Stream, change: Appended): number {
  stream.seq += 1;
  stream.chain = nextChain(stream.chain, change.id, ctx.ports.hasher);
  stream.sum = addToSum(stream.sum, change.id);
  const quarantined = change.quarantined.length === 0 ? null : JSON.stringify(change.quarantined);
  const row = [
    stream.pk,
    stream.seq,
    change.id,
    stream.chain,
    change.hlc,
    change.wall,
    ctx.at,
    change.actor,
    columnText(change.author),
    change.authorKind,
    columnText(change.keyId),
    columnText(change.why),
    change.relayed ? 1 : 0,
    change.clockSuspect ? 1 : 0,
    quarantined,
    change.origin,
    change.sentBy,
  ];
  stream.pending.push({ row, packed: pack(change.text, ctx.packs), text: change.text });
  return stream.seq;
}

const COLUMNS = [
  'stream_pk',
  'seq',
  'change_id',
  'chain',
  'hlc',
  'wall',
  'received_at',
  'actor',
  'author',
  'author_kind',
  'key_id',
  'why',
  'relayed',
  'clock_suspect',
  'quarantined',
  'origin',
  'sent_by',
  'text',
  'packed',
];

interface Advanced extends Pick<Stream, 'pk' | 'seq' | 'chain' | 'sum' | 'hlc'> {
  account: number;
  states: string;
}
const advanceStream = compiledOnce(
  ({ db }, { account, pk, seq, chain, sum, hlc, states }: Placeholders<Advanced>) =>
    db
      .updateTable('streams')
      .set({ seq, chain, count: seq, sum, hlc, states })
      .where('account', '=', account)
      .where('stream_pk', '=', pk),
);

export async function flushStream(ctx: WriteContext, stream: Stream): Promise<void> {
  if (stream.pending.length === 0) return;
  const rows: unknown[][] = [];
  for (const { row, packed, text } of stream.pending)
    rows.push(packed === undefined ? [...row, text, null] : [...row, null, await packed]);
  stream.pending = [];
  const { pk, seq, chain, sum, hlc, states } = stream;
  await pipelined(
    ctx.session.insert('changes', COLUMNS, rows),
    ctx.session.change(
      advanceStream(ctx.session, {
        account: ctx.session.account,
        pk,
        seq,
        chain,
        sum,
        hlc,
        states: JSON.stringify(states),
      }),
    ),
  );
  const { sealedFor } = stream;
  // The account's token tells everybody that something has changed.
  if (sealedFor === undefined) noteChanged(ctx, stream.account, stream.chain);
  noteMore(ctx, stream.account, 'changes');
  ctx.grown.set(`${stream.account}/${stream.name}`, {
    account_id: stream.account,
    case_uid: stream.name,
    seq: stream.seq,
    ...(sealedFor !== undefined && { sealedFor }),
  });
}

/**
 * Notes that something which `sync/cases` tells has changed; `what` makes this change unlike
 * others.
 */
export function noteChanged(ctx: WriteContext, account: AccountId, what: string): void {
  ctx.changed.set(account, (ctx.changed.get(account) ?? '') + what);
}

/** Notes something that no log tells, for whoever listens. */
export function noteAccount(ctx: WriteContext, account: AccountId, what: string): void {
  noteChanged(ctx, account, what);
  ctx.grown.set(`${account}/${ACCOUNT_HINT}`, {
    account_id: account,
    case_uid: ACCOUNT_HINT,
    seq: 0,
  });
}

/**
 * With the commit, since the account's row is locked from here on. A chain, so that a store
 * restored from a backup comes to other tokens. Answers what they were and are.
 */
export async function advanceChangeTokens({
  session,
  changed,
  ports,
}: WriteContext): Promise<Map<AccountId, NonNullable<Commit['token']>>> {
  const inOrder = [...changed].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    await Promise.all(
      inOrder.map(
        async ([account, what]) =>
          [
            account,
            await session.advanceChangeToken(account, what, ports.hasher.sha256Base64url),
          ] as const,
      ),
    ),
  );
}

/**
 * A log that has grown, and how the account's change token has changed; a sealed layer moves none.
 */
export interface Commit extends GrownLog {
  token: { from: string; to: string } | undefined;
}
