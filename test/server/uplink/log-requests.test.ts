import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallResult } from '../../../src/shared/contract/call.ts';
import type { StreamName } from '../../../src/shared/contract/ids.ts';
import { SYNC_LIMITS } from '../../../src/shared/contract/sync.ts';
import { batch, BATCH_LIMITS, type BatchPart } from '../../../src/shared/contract/sync-batch.ts';
import type { HostedClient } from '../../../src/server/uplink/client.ts';
import { LogRequests } from '../../../src/server/uplink/log-requests.ts';
import { oncePerTick } from '../../../src/server/uplink/once-per-tick.ts';
import { asStream } from '../../support/ids.ts';
import { lengthOf, seedOf } from '../../support/length.ts';

type Answer = CallResult<unknown>;
const refusal = (status: number, code: string): Answer => ({
  kind: 'refused',
  status,
  code,
  message: 'No.',
  details: [],
  requestId: null,
  retryAfter: null,
});
const missing = (stream: string) => ({
  missing: [stream],
  epoch: 'e',
  seq: 0,
  chain: 'c',
  count: 0,
  sum: '',
});

/** What may become of a request with several parts. */
const WHOLE: Record<string, Answer> = {
  'is lost': { kind: 'no_answer', reason: 'network' },
  'takes too long': { kind: 'no_answer', reason: 'timeout' },
  'is answered by something else': { kind: 'unreadable', status: 200, reason: 'not JSON' },
  'is too long': refusal(413, 'payload_too_large'),
  'cannot be read': refusal(422, 'validation_failed'),
  'is failed on': refusal(500, 'internal_error'),
  'is asked of a busy server': refusal(503, 'unavailable'),
  'is asked too often': refusal(429, 'rate_limited'),
  'is not known': refusal(404, 'not_found'),
  'is asked with a key that ended': refusal(401, 'key_revoked'),
};
/** These are about the sender, or the moment: whoever asked is told so. */
const OF_ALL = new Set([
  'is lost',
  'takes too long',
  'is asked of a busy server',
  'is asked too often',
  'is asked with a key that ended',
]);

/** A server that answers with the log's name, and where it is told to, with something else. */
function server(plan: {
  whole: (keyof typeof WHOLE | null)[];
  parts: readonly ('null' | 'refused' | 'odd' | 'good')[];
  short: boolean;
}) {
  const sizes: number[] = [];
  const seen: string[] = [];
  let part = 0;
  const single = (stream: string): Answer => ({
    kind: 'ok',
    status: 200,
    body: missing(stream),
  });
  const client = {
    call: async (endpoint: unknown, input: { params?: { caseUid: string }; body?: unknown }) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (endpoint !== batch) return single(input.params!.caseUid);
      const { parts } = input.body as { parts: BatchPart[] };
      sizes.push(parts.length);
      const bytes = JSON.stringify(parts).length;
      if (parts.length > 1) expect(bytes).toBeLessThan(1.1 * SYNC_LIMITS.bytes);
      const whole = plan.whole.shift() ?? null;
      if (whole !== null) {
        seen.push(whole);
        return WHOLE[whole];
      }
      const answers = parts.map(({ stream }) => {
        switch (plan.parts[(part += 1) % plan.parts.length]) {
          case 'null':
            return null;
          case 'refused':
            return { status: 409, body: { error: 'diverged', message: stream, details: [] } };
          case 'odd':
            return { status: 200, body: { missing: 'no list' } };
          default:
            return { status: 200, body: missing(stream) };
        }
      });
      return {
        kind: 'ok',
        status: 200,
        body: { parts: plan.short ? answers.slice(1) : answers },
      };
    },
  } as unknown as HostedClient;
  return { client, sizes, seen };
}

test('R14 each link gets the answer to its own request, whatever becomes of those that it went with', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 90 }),
      fc.array(fc.option(fc.constantFrom(...Object.keys(WHOLE))), { maxLength: 6 }),
      fc.array(fc.constantFrom('null', 'refused', 'odd', 'good'), { minLength: 1, maxLength: 9 }),
      fc.boolean(),
      fc.integer({ min: 1, max: BATCH_LIMITS.parts }),
      fc.integer({ min: 1, max: 3 }),
      async (links, whole, kinds, short, most, pairs) => {
        const { client, sizes, seen } = server({ whole: [...whole], parts: kinds, short });
        const logs = new LogRequests({
          client,
          signal: new AbortController().signal,
          parts: () => most,
          served: () => links,
          answers: () => Promise.resolve(true),
        });
        const ask = (stream: StreamName) =>
          logs.call('missing', stream, undefined, { body: { ids: ['x'] } });
        const asked = Array.from({ length: links }, (_, at) => asStream(`case-${at}`)).flatMap(
          (stream, at) => (at % pairs === 1 ? [stream, stream] : [stream]),
        );
        const results = await Promise.all(
          asked.flatMap((stream, at) => {
            if (asked[at - 1] === stream) return [];
            return asked[at + 1] === stream
              ? logs.together(() => [ask(stream), ask(stream)])
              : [ask(stream)];
          }),
        );
        for (const [at, result] of results.entries()) {
          const stream = asked[at];
          if (result.kind === 'ok') expect(result.body.missing).toEqual([stream]);
          else if (result.kind === 'refused' && result.code === 'diverged')
            expect(result.message).toBe(stream);
          else
            expect([
              ...(kinds.includes('odd') ? ['unreadable'] : []),
              ...seen.filter((name) => OF_ALL.has(name)).map((name) => JSON.stringify(WHOLE[name])),
            ]).toContain(result.kind === 'unreadable' ? result.kind : JSON.stringify(result));
        }
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(most);
      },
    ),
    { numRuns: lengthOf(60, 2_000), seed: seedOf() },
  );
});

test('nothing is said of any link by a server that is not there: they are not asked one by one', async () => {
  const whole = ['is answered by something else', 'is failed on'];
  const { client, sizes } = server({ whole, parts: ['good'], short: false });
  let met = 0;
  const logs = new LogRequests({
    client,
    signal: new AbortController().signal,
    parts: () => 64,
    served: () => 40,
    answers: oncePerTick(async () => ((met += 1), false)),
  });
  for (let round = 1; round <= 2; round += 1) {
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        logs.call('missing', asStream(`case-${at}`), undefined, { body: { ids: [] } }),
      ),
    );
    expect(new Set(results.map(({ kind }) => kind)).size).toBe(1);
    expect(results[0]!.kind).not.toBe('ok');
    expect([sizes.length, met]).toEqual([round, round]);
  }
});

test('long requests are divided, and one that is long alone goes alone', async () => {
  const { client, sizes } = server({ whole: [], parts: ['good'], short: false });
  const logs = new LogRequests({
    client,
    signal: new AbortController().signal,
    parts: () => 64,
    served: () => 9,
    answers: () => Promise.resolve(true),
  });
  const change = { id: 'c1_x', change: 'x'.repeat(300_000) };
  await Promise.all(
    Array.from({ length: 9 }, (_, at) =>
      logs.call('push', asStream(`case-${at}`), undefined, {
        body: { protocol: 1, changes: at === 4 ? Array(5).fill(change) : [change] },
      }),
    ),
  );
  // Three of them fit; the fifth, which is longer than a request of several may be, goes alone.
  expect(sizes).toEqual([3, 3]);
});
