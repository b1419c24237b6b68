import { type Author, MAX_ENTRIES } from '../../../sync/change.ts';
import { changeWriter, type Envelope } from '../../../sync/change-writer.ts';
import { nextHlc } from '../../../sync/clock.ts';
import { authorName, type WriteContext } from '../db/context.ts';
import { randomHex, sortableId } from '../db/ids.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import type { Actor } from '../db/actor.ts';
import { append, type Stream } from './change-log.ts';

/**
 * A change ends before its entries have more characters. That is less than it may have: longer texts
 * are outside V8's young generation, in memory that is asked of the system for each (0011).
 */
const MOST_CHARACTERS = 100_000;

/**
 * Where some of a gesture's entries were stored: entries `start` to `start + count - 1` of the
 * gesture are in change `seq`.
 */
export interface Span {
  seq: number;
  id: string;
  hlc: string;
  start: number;
  count: number;
}

/**
 * Where the change ends that begins with the entry `start`. An entry that is bound to the one before
 * it is in the same change.
 */
function endOf(
  entries: readonly string[],
  start: number,
  isBound: (index: number) => boolean,
): number {
  const last = Math.min(entries.length, start + MAX_ENTRIES);
  let reached = start + 1;
  let characters = (entries[start] as string).length;
  for (; reached < last; reached += 1) {
    characters += (entries[reached] as string).length + 1;
    if (characters > MOST_CHARACTERS) break;
  }
  const cutsBefore = (end: number): boolean => end < entries.length && isBound(end);
  let end = reached;
  while (end > start + 1 && cutsBefore(end)) end -= 1;
  if (cutsBefore(end)) for (end = reached; cutsBefore(end);) end += 1;
  return end;
}

/** The author that an actor's changes state. */
export const authorOf = ({ kind, key_id, key_name, user_id, user_name }: Actor): Author => ({
  user: user_id,
  kind,
  agent: kind === 'agent' ? key_name : null,
  key: key_id,
  name: user_name,
});

/** What the changes of a gesture have in common. */
function envelopeOf(
  ctx: WriteContext,
  stream: Stream,
  actor: Actor,
  why: string | undefined,
): Envelope {
  return {
    stream: stream.name,
    by: authorOf(actor),
    app: ctx.ports.version,
    replica: ctx.storeId,
    txn: sortableId('txn_', ctx.ports),
    wall: ctx.at,
    why: why ?? null,
  };
}

/**
 * Appends one gesture: its entries (canonical JSON, see `entryText`) are cut into changes that
 * share a `txn`.
 */
export async function author(
  ctx: WriteContext,
  stream: Stream,
  actor: Actor,
  entries: readonly string[],
  why?: string,
  isBound: (index: number) => boolean = () => false,
): Promise<Span[]> {
  const spans: Span[] = [];
  const work = new WorkCounter();
  const write = changeWriter(envelopeOf(ctx, stream, actor, why), ctx.ports.hasher);
  for (let start = 0; start < entries.length;) {
    const end = endOf(entries, start, isBound);
    const count = end - start;
    stream.hlc = nextHlc(stream.hlc, ctx.now);
    const { id, text } = write(entries.slice(start, end), stream.hlc, randomHex(16, ctx.ports));
    const name = authorName(actor);
    const seq = append(ctx, stream, {
      id,
      text,
      hlc: stream.hlc,
      wall: ctx.at,
      actor: actor.user_id,
      author: name,
      authorKind: actor.kind,
      keyId: actor.key_id,
      why: why ?? null,
      relayed: false,
      clockSuspect: false,
      quarantined: [],
      origin: null,
      sentBy: null,
    });
    stream.changes.add({
      seq,
      id,
      hlc: stream.hlc,
      receivedAt: ctx.at,
      author: name,
      authorKind: actor.kind,
      keyId: actor.key_id,
      quarantined: null,
    });
    spans.push({ seq, id, hlc: stream.hlc, start, count });
    if (work.due(count)) await yieldToEventLoop();
    start = end;
  }
  return spans;
}

/** Each entry of a gesture with its place in the log. */
export function* placements(
  spans: readonly Span[],
): Generator<{ entry: number; seq: number; index: number }> {
  for (const span of spans)
    for (let index = 0; index < span.count; index += 1)
      yield { entry: span.start + index, seq: span.seq, index };
}
