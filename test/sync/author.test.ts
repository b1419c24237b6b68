import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChangeIndex } from '../../src/server/storage/log/change-index.ts';
import { author, placements } from '../../src/server/storage/log/author.ts';
import {
  changeWriter,
  entryText,
  jsonString,
  parentsText,
  wholeEntryText,
} from '../../src/sync/change-writer.ts';
import { known } from '../../src/shared/contract/ids.ts';
import type { WriteContext } from '../../src/server/storage/db/context.ts';
import type { DatabaseSession } from '../../src/server/storage/db/session.ts';
import type { Stream } from '../../src/server/storage/log/change-log.ts';
import { EMPTY_CHAIN } from '../../src/sync/log.ts';
import { canonicalJson } from '../../src/shared/lib/canonical-json.ts';
import { MAX_CHANGE_BYTES, seal, unseal, WRITTEN_SCHEMA } from '../../src/sync/change.ts';
import { testHasher } from '../support/hasher.ts';
import { testPorts } from '../contract/world.ts';
import { asKey, asUser, asStream } from '../support/ids.ts';

const session = {} as DatabaseSession;
const actor = {
  account_id: known.accountId.parse('a'),
  user_id: asUser('u"\\'),
  user_name: 'U',
  kind: 'agent' as const,
  key_id: asKey('k'),
  key_name: 'Schlüssel "1"',
};

function setUp(): { ctx: WriteContext; stream: Stream } {
  const ports = testPorts();
  const now = ports.clock.now();
  return {
    ctx: {
      session,
      ports,
      storeId: 'sto_1',
      epoch: 'e',
      schema: 1,
      profileCache: new Map(),
      ruleCache: new Map(),
      now,
      at: new Date(now).toISOString(),
      packs: false,
      grown: new Map(),
      changed: new Map(),
      more: new Map(),
      auditOrigin: undefined,
      audited: [],
      beforeCommit: [],
      isDryRun: false,
      credential: undefined,
    },
    stream: {
      pk: 1,
      account: known.accountId.parse('a'),
      name: asStream('c1'),
      seq: 0,
      chain: EMPTY_CHAIN,
      sum: EMPTY_CHAIN,
      hlc: '000000000000-0000',
      changes: new ChangeIndex(session, 1),
      states: {},
      pending: [],
    },
  };
}

const wellFormed = fc.string({ unit: 'grapheme' });

describe('authoring', () => {
  test('C1 the texts put together by hand are canonical JSON and unseal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            reg: wellFormed,
            value: fc.jsonValue(),
            parent: fc.option(fc.constant(`c1_${'A'.repeat(43)}#3`)),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        fc.option(wellFormed, { nil: undefined }),
        async (drafts, why) => {
          const { ctx, stream } = setUp();
          await author(
            ctx,
            stream,
            actor,
            drafts.map(({ reg, value, parent }) =>
              entryText(parentsText(parent), jsonString(`future/${reg}`), canonicalJson(value)),
            ),
            why,
          );
          for (const { row, text } of stream.pending) {
            expect(canonicalJson(JSON.parse(text))).toBe(text);
            const { change } = unseal(row[2] as string, text, testHasher);
            expect(change.entries.map((entry) => entry.value)).toEqual(
              drafts.map((draft) => JSON.parse(canonicalJson(draft.value)) as unknown),
            );
            expect(change).toMatchObject({
              by: { user: 'u"\\', agent: 'Schlüssel "1"', key: 'k', kind: 'agent' },
              why: why ?? null,
            });
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('C1 what the change writer writes is the canonical JSON of the change', () => {
    const name = fc.option(wellFormed, { nil: undefined });
    const orNull = fc.option(wellFormed);
    fc.assert(
      fc.property(
        fc.record({
          stream: wellFormed.map(asStream),
          by: fc.record({
            user: wellFormed.map(asUser),
            kind: fc.constantFrom('human' as const, 'agent' as const, 'import' as const),
            agent: orNull,
            key: fc.option(wellFormed.map(asKey)),
          }),
          app: wellFormed,
          replica: wellFormed,
          txn: wellFormed,
          wall: wellFormed,
          why: orNull,
        }),
        name,
        fc.array(fc.jsonValue(), { minLength: 1, maxLength: 3 }),
        (envelope, userName, values) => {
          const by = { ...envelope.by, ...(userName !== undefined && { name: userName }) };
          const entries = values.map((value) => ({ op: 'set', parents: [], reg: 'r', value }));
          const written = changeWriter({ ...envelope, by }, testHasher)(
            entries.map(wholeEntryText),
            '000000000001-0000',
            'ab',
          );
          const { stream, app, replica, txn, wall, why } = envelope;
          const sealed = seal(
            {
              v: 1,
              case: stream,
              hlc: '000000000001-0000',
              wall,
              by,
              at: { replica, app, schema: WRITTEN_SCHEMA },
              txn,
              why,
              nonce: 'ab',
              entries,
            },
            testHasher,
          );
          expect(written).toEqual({ id: sealed.id, text: sealed.text });
        },
      ),
    );
  });

  test.each([
    ['2,000 entries', 4_500, 1, [2_000, 2_000, 500]],
    ['100,000 characters', 14, 20_000, [4, 4, 4, 2]],
  ])(
    'C4 a gesture is cut at %s into changes that share a txn',
    async (_, count, size, expected) => {
      const { ctx, stream } = setUp();
      const texts = Array.from({ length: count }, () =>
        entryText('[]', '"x"', jsonString('y'.repeat(size))),
      );
      const spans = await author(ctx, stream, actor, texts);
      expect(spans.map((span) => span.count)).toEqual(expected);
      expect(spans.map((span) => span.seq)).toEqual(expected.map((__, index) => index + 1));
      expect(
        new Set(stream.pending.map(({ text }) => (JSON.parse(text) as { txn: string }).txn)).size,
      ).toBe(1);
      for (const { text } of stream.pending)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_CHANGE_BYTES);
      const places = [...placements(spans)];
      expect(places.map((place) => place.entry)).toEqual(texts.map((__, index) => index));
      expect(places.at(-1)).toEqual({
        entry: count - 1,
        seq: expected.length,
        index: (expected.at(-1) ?? 0) - 1,
      });
      const clocks = spans.map((span) => span.hlc);
      expect([...clocks].sort()).toEqual(clocks);
    },
  );

  test('C4 a gesture is cut where the next entries do not fit, and never between bound ones', async () => {
    const unit = fc.constantFrom('y', 'é', '変', '🧬', '"', '\n');
    const lengths = fc.oneof(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 30_000 }),
      fc.integer({ min: 45_000, max: 90_000 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(unit, lengths, fc.boolean()), { minLength: 1, maxLength: 60 }),
        async (drafts) => {
          const { ctx, stream } = setUp();
          const texts = drafts.map(([char, length]) =>
            entryText('[]', '"future/x"', jsonString(char.repeat(Math.ceil(length / 2)))),
          );
          // Pairs, as an outcome and the decision that accepts it.
          const isBound = (index: number): boolean =>
            index % 2 === 1 && drafts[index]?.[2] === true;
          const spans = await author(ctx, stream, actor, texts, undefined, isBound);
          const characters = (from: number, to: number): number =>
            texts.slice(from, to).join(',').length;
          let next = 0;
          for (const { start, count } of spans) {
            expect(start).toBe(next);
            expect(isBound(start)).toBe(false);
            next = start + count;
            const together = isBound(start + 1) ? 2 : 1;
            if (count > together) expect(characters(start, next)).toBeLessThanOrEqual(100_000);
            if (next < texts.length)
              expect(characters(start, next + (isBound(next + 1) ? 2 : 1))).toBeGreaterThan(
                100_000,
              );
          }
          expect(next).toBe(texts.length);
          for (const { row, text } of stream.pending) {
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_CHANGE_BYTES);
            expect(`c1_${testHasher.sha256Base64url(text)}`).toBe(row[2]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
