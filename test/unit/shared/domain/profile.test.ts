import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ProfileDocument,
  PublishedProfile,
  profileDigest,
} from '../../../../src/shared/domain/profile.ts';
import { testHasher } from '../../../support/hasher.ts';
import { sampleProfile } from './run-sample.ts';

const schema: object = JSON.parse(
  readFileSync(new URL('../../../fixtures/profile-2.4.schema.json', import.meta.url), 'utf8'),
);
const conforms = new Ajv2020({ validateFormats: false, strict: false }).compile(schema);

type Json = Record<string, unknown>;
const rule = (sampleProfile.rules[0] ?? {}) as Json;

/** Each change makes the sample invalid under the document format. */
const violations: readonly (readonly [name: string, change: Json])[] = [
  ['missing name', { name: undefined }],
  ['empty name', { name: '' }],
  ['upper-case profileUid', { profileUid: 'Trio' }],
  ['version of one number', { version: '1' }],
  ['visibility public', { visibility: 'public' }],
  ['domain with a dash', { domain: 'wet-lab' }],
  ['other standard', { standard: 'SGA-QEM-2.0' }],
  ['standardVersion as a number', { standardVersion: 1 }],
  ['no rules', { rules: [] }],
  ['additional member', { extra: 1 }],
  ['additional member of a rule', { rules: [{ ...rule, weight: 1 }] }],
  ['ruleOrder 0', { rules: [{ ...rule, ruleOrder: 0 }] }],
  ['fractional ruleOrder', { rules: [{ ...rule, ruleOrder: 1.5 }] }],
  ['empty meaning', { rules: [{ ...rule, problemMeaning: '' }] }],
];

describe('ProfileDocument', () => {
  it('takes the sample, with and without sourceUrl, unchanged', () => {
    for (const document of [
      sampleProfile,
      { ...sampleProfile, sourceUrl: 'https://example.org/a?b=%20#c' },
      { ...sampleProfile, sourceUrl: 'urn:isbn:0451450523' },
    ]) {
      expect(ProfileDocument.parse(document)).toEqual(document);
      expect(conforms(document)).toBe(true);
    }
  });

  it.each(violations)('refuses %s, as the published schema does', (_, change) => {
    const document: unknown = JSON.parse(JSON.stringify({ ...sampleProfile, ...change }));
    expect(ProfileDocument.safeParse(document).success).toBe(false);
    expect(conforms(document)).toBe(false);
  });

  it.each([
    ['a URI with a space', { sourceUrl: 'https://example.org/a b' }],
    ['a URI with white space around', { sourceUrl: ' https://example.org' }],
    ['a relative reference', { sourceUrl: '/profiles/1' }],
    ['a control character', { description: 'a\u0007' }],
    ['a carriage return', { description: 'a\r\nb' }],
    ['a lone surrogate', { scope: 'a\ud800' }],
    ['a text too long', { scope: 'a'.repeat(10_001) }],
    [
      'too many rules',
      {
        rules: Array.from({ length: 501 }, (_, index) => ({
          ...rule,
          ruleOrder: index + 1,
          ruleUid: `rule_${index}`,
        })),
      },
    ],
  ])('refuses %s', (_, change) => {
    expect(ProfileDocument.safeParse({ ...sampleProfile, ...change }).success).toBe(false);
  });

  it('takes an empty source as none, as published profiles have it', () => {
    expect(ProfileDocument.parse({ ...sampleProfile, sourceUrl: '' })).toEqual({
      ...sampleProfile,
      sourceUrl: '',
    });
    expect(PublishedProfile.safeParse({ ...sampleProfile, sourceUrl: '' }).success).toBe(true);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    'java%73cript:alert(1)',
    'data:text/html,x',
    'DATA:text/html;base64,PHNjcmlwdD4=',
    'vbscript:msgbox(1)',
    'blob:https://example.org/1',
    '//example.org',
    'https://example.org/a b',
  ])('publishes no profile with the source %j', (sourceUrl) => {
    expect(PublishedProfile.safeParse({ ...sampleProfile, sourceUrl }).success).toBe(false);
  });

  it('counts code points, not code units, and lets tab and line feed through', () => {
    expect(
      ProfileDocument.safeParse({ ...sampleProfile, scope: `\t\n${'😀'.repeat(9_998)}` }).success,
    ).toBe(true);
  });

  it('states its lengths and patterns in a generated JSON Schema', () => {
    expect(z.toJSONSchema(ProfileDocument)).toMatchObject({
      additionalProperties: false,
      properties: {
        name: { minLength: 1, maxLength: 10_000 },
        rules: { minItems: 1, maxItems: 500 },
      },
    });
  });

  it('names the second use of a ruleUid or ruleOrder', () => {
    const twice = {
      ...sampleProfile,
      rules: [rule, { ...rule, ruleOrder: 7 }, { ...rule, ruleUid: 'another_rule' }],
    };
    expect(ProfileDocument.safeParse(twice).error?.issues.map((issue) => issue.path)).toEqual([
      ['rules', 1, 'ruleUid'],
      ['rules', 2, 'ruleOrder'],
    ]);
  });
});

describe('profileDigest', () => {
  it('is equal for equal content in another order of members, and differs for other content', () => {
    const digest = profileDigest(sampleProfile, testHasher);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(
      profileDigest(
        Object.fromEntries(Object.entries(sampleProfile).reverse()) as typeof sampleProfile,
        testHasher,
      ),
    ).toBe(digest);
    expect(profileDigest({ ...sampleProfile, name: 'Other' }, testHasher)).not.toBe(digest);
  });
});
