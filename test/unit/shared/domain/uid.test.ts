import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CaseUid,
  ItemUid,
  ProfileUid,
  ProfileVersion,
  RuleUid,
  RunUid,
} from '../../../../src/shared/domain/uid.ts';

const valid = {
  CaseUid: [CaseUid, ['a', 'constructor', 'Case-1:run.2_x', 'a'.repeat(128)]],
  RunUid: [RunUid, ['run_01', '0', 'a'.repeat(128)]],
  ProfileUid: [ProfileUid, ['abc', 'trio_rare_disease', 'a'.repeat(96)]],
  ProfileVersion: [ProfileVersion, ['1.0', '10.20.30', '0.0']],
  RuleUid: [RuleUid, ['abc', 'a_1', 'a'.repeat(64)]],
  ItemUid: [
    ItemUid,
    ['7-117559592-CTT--_AR', 'chr1:12345:A>G', 'a b', 'é', '変異', '__proto__', '😀'.repeat(256)],
  ],
} as const;

const invalid = {
  CaseUid: [CaseUid, ['', ' a', 'a ', '-a', 'a/b', 'a\n', 'é', 'a'.repeat(129)]],
  RunUid: [RunUid, ['', 'a:b', '_a', 'a\n', 'a'.repeat(129)]],
  ProfileUid: [ProfileUid, ['', 'ab', 'Abc', '1bc', 'a-b', 'abc\n', 'a'.repeat(97)]],
  ProfileVersion: [
    ProfileVersion,
    ['', '1', '1.', '1.0.0.0', 'v1.0', '1.0-a', '1.0\n', `${'1'.repeat(99)}.0`],
  ],
  RuleUid: [RuleUid, ['', 'ab', 'Abc', 'a'.repeat(65)]],
  ItemUid: [
    ItemUid,
    [
      '',
      ' a',
      'a\u00a0',
      'a\u0000',
      'a\tb',
      'a\u0085',
      'e\u0301',
      'a\u061c',
      'a\u200e',
      'a\u200f',
      'a\u202a',
      'a\u202e',
      'a\u2066',
      'a\u2069',
      'a\u200b',
      'a\u200d',
      'a\u2060',
      'a\ufeffb',
      '\ud800',
      'a'.repeat(257),
    ],
  ],
} as const;

describe.each(Object.entries(valid))('%s', (_, [schema, samples]) => {
  it.each([...samples])('takes %j', (sample) => {
    expect(schema.safeParse(sample).data).toBe(sample);
  });
});

describe.each(Object.entries(invalid))('%s', (_, [schema, samples]) => {
  it.each([...samples])('refuses %j', (sample) => {
    expect(schema.safeParse(sample).success).toBe(false);
  });
});

describe('messages', () => {
  it('never repeat the input', () => {
    const marker = 'ZQZQ';
    const hostile = fc
      .tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }))
      .map(([a, b]) => `${a}${marker}${b}`);
    fc.assert(
      fc.property(hostile, (text) => {
        for (const schema of [CaseUid, RunUid, ProfileUid, ProfileVersion, RuleUid, ItemUid]) {
          for (const issue of schema.safeParse(text).error?.issues ?? [])
            expect(issue.message).not.toContain(marker);
        }
      }),
    );
  });
});
