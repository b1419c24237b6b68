import { MAX_CHANGE_BYTES, MAX_ENTRIES, WRITTEN_SCHEMA } from '../../../sync/change.ts';
import { nextHlc } from '../../../sync/clock.ts';
import { authorName, type WriteContext } from '../db/context.ts';
import { randomHex, sortableId } from '../db/ids.ts';
import { Pace, pause } from '../db/pace.ts';
import type { Actor } from '../db/actor.ts';
import { append, type Stream } from './ledger.ts';

/**
 * Bytes reserved for the fields of a change besides its entries: the reason may have 10,000
 * characters.
 */
const ENVELOPE_BYTES = 49_152;

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
 * Canonical JSON of a string. For well-formed text, JSON.stringify escapes exactly as RFC 8785
 * asks.
 */
export function jsonString(text: string): string {
  return JSON.stringify(text);
}

/** Canonical JSON of one entry. `parents`, `reg` and `value` must be canonical JSON already. */
export function entryText(
  parents: string,
  reg: string,
  value: string,
  op: 'set' | 'announce' | 'resolve' = 'set',
): string {
  return `{"op":"${op}","parents":${parents},"reg":${reg},"value":${value}}`;
}

/** Canonical JSON of a `set`'s parents. */
export function parentsText(parent: string | null): string {
  return parent === null ? '[]' : `["${parent}"]`;
}

interface Envelope {
  before: string;
  txn: string;
  after: string;
}

function envelope(
  ctx: WriteContext,
  stream: Stream,
  actor: Actor,
  why: string | undefined,
): Envelope {
  const agent =
    actor.kind === 'agent' && actor.key_name !== null ? jsonString(actor.key_name) : 'null';
  const key = actor.key_id === null ? 'null' : jsonString(actor.key_id);
  const at = `{"app":${jsonString(ctx.ports.version)},"replica":${jsonString(ctx.storeId)},"schema":${WRITTEN_SCHEMA}}`;
  const by = `{"agent":${agent},"key":${key},"kind":"${actor.kind}","name":${jsonString(actor.user_name)},"user":${jsonString(actor.user_id)}}`;
  return {
    before: `{"at":${at},"by":${by},"case":${jsonString(stream.name)},"entries":[`,
    txn: sortableId('txn_', ctx.ports),
    after: `,"v":1,"wall":"${ctx.at}","why":${why === undefined ? 'null' : jsonString(why)}}`,
  };
}

/**
 * Appends one gesture: its entries (canonical JSON, see `entryText`) are cut into changes that
 * share a `txn`. The text is put together by hand because this is the hot path; a property test
 * compares it with `canonicalJson`.
 */
export async function author(
  ctx: WriteContext,
  stream: Stream,
  actor: Actor,
  entries: readonly string[],
  why?: string,
): Promise<Span[]> {
  const spans: Span[] = [];
  const pace = new Pace();
  const { before, txn, after } = envelope(ctx, stream, actor, why);
  for (let start = 0; start < entries.length;) {
    let bytes = 0;
    let end = start;
    let body = '';
    while (end < entries.length && end - start < MAX_ENTRIES) {
      const entry = entries[end] as string;
      bytes += Buffer.byteLength(entry) + 1;
      if (end > start && bytes > MAX_CHANGE_BYTES - ENVELOPE_BYTES) break;
      body += end === start ? entry : `,${entry}`;
      end += 1;
    }
    stream.hlc = nextHlc(stream.hlc, ctx.now);
    const text = `${before}${body}],"hlc":"${stream.hlc}","nonce":"${randomHex(16, ctx.ports)}","txn":"${txn}"${after}`;
    const id = `c1_${ctx.ports.hasher.sha256Base64url(text)}`;
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
    spans.push({ seq, id, hlc: stream.hlc, start, count: end - start });
    if (pace.due(end - start)) await pause();
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
