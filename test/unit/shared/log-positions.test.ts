import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ancestor,
  changes,
  hello,
  missing,
  push,
  syncCases,
  WitnessText,
} from '../../../src/shared/contract/sync.ts';

const CHAIN = 'a'.repeat(64);
/** Answers that say where a log stands, with this epoch and this chain. */
const answersOf = (epoch: string, chain: string) => {
  const position = { epoch, seq: 7, chain };
  const digest = { count: 7, sum: '0' };
  return [
    push.response.safeParse({ results: [], ...position, ...digest }),
    missing.response.safeParse({ missing: [], ...position, ...digest }),
    ancestor.response.safeParse(position),
    changes.response.safeParse({
      epoch,
      from: 0,
      to: 0,
      n: 0,
      changes: [],
      chain,
      more: false,
      ...digest,
    }),
    syncCases.response.safeParse({
      epoch,
      role: 'member',
      cases: [{ case_uid: 'case-1', seq: 7, chain, project_id: null, runs: 0 }],
      next: null,
    }),
  ];
};
const damaged = fc
  .tuple(fc.constantFrom('0123456789abcdef', CHAIN), fc.nat(), fc.nat({ max: 255 }))
  .map(([text, place, letter]) => {
    const at = place % text.length;
    return text.slice(0, at) + String.fromCharCode(letter) + text.slice(at + 1);
  });

test('R1 R5 a position that an answer may name can be the witness of a request', () => {
  fc.assert(
    fc.property(
      fc.oneof(damaged, fc.string()),
      fc.constantFrom('epoch', 'chain'),
      (text, where) => {
        const [epoch, chain] = where === 'epoch' ? [text, CHAIN] : ['e', text];
        const isWitness = WitnessText.safeParse(`${epoch};7;${chain}`).success;
        for (const { success } of answersOf(epoch, chain)) expect(success).toBe(isWitness);
      },
    ),
    { numRuns: 300 },
  );
  expect(hello.response.shape.epoch.safeParse('0123 56789abcdef').success).toBe(false);
});
