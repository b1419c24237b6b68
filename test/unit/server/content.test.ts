import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';

interface Rule {
  ruleOrder: number;
  ruleUid: string;
  name: string;
  description: string;
  evidenceMeaning: string;
  problemMeaning: string;
  notAvailableMeaning: string;
}
interface Profile {
  name: string;
  profileUid: string;
  visibility: string;
  domain: string;
  maintainer: string;
  rules: Rule[];
}
interface Cell {
  rule_uid: string;
  raw_outcome: string;
  source_value?: string;
  notes?: string;
  provenance?: string | Record<string, string>;
}
interface Item {
  item_uid: string;
  item_type: string;
  label: string;
  metadata: Record<string, unknown>;
  evidence: Cell[];
}
interface Sample {
  project: { name: string; description: string; domain: string };
  case: {
    case_uid: string;
    title: string;
    description: string;
    case_type: string;
    metadata: Record<string, unknown>;
  };
  profile_uid: string;
  items: Item[];
}

const content = new URL('../../../src/server/content/', import.meta.url);
const readJson = (url: URL): unknown => JSON.parse(readFileSync(url, 'utf8'));
const files = readdirSync(new URL('profiles/', content))
  .filter((name) => name.endsWith('.json'))
  .sort();
const profiles = files.map((file) => ({
  file,
  profile: readJson(new URL(`profiles/${file}`, content)) as Profile,
}));
const sample = readJson(new URL('sample.json', content)) as Sample;

const ajv = new Ajv2020({
  allErrors: true,
  formats: { uri: (text: string) => URL.canParse(text) },
});
const validate = ajv.compile(
  readJson(new URL('../../fixtures/profile-2.4.schema.json', import.meta.url)) as object,
);

/** What the published profile sga_qem_trio_rare_disease_v1 asks, in other words, by these IDs. */
const OFFICIAL_TRIO_RULES = [
  'parent_gt_unavailable',
  'parent_gt_mechanistically_inconsistent_ar',
  'compound_het_phase_inconsistent',
  'denovo_mechanism_not_excluded',
  'unaffected_relative_homozygous_alt',
];

const oneToN = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}

/** NFC, no outer white space, no control, bidi or zero-width character. */
function expectCleanText(document: unknown) {
  const unclean = stringsIn(document).filter(
    (text) =>
      text !== text.normalize('NFC') || text !== text.trim() || /[\p{Cc}\p{Cf}]/u.test(text),
  );
  expect(unclean).toEqual([]);
}

describe('shipped profiles', () => {
  it('are one for each domain', () => {
    expect(profiles.map(({ profile }) => profile.domain).sort()).toEqual([
      'ai_verification',
      'clinical_genetics',
      'crispr',
      'general',
      'wet_lab',
    ]);
  });

  it('have unique uids and names', () => {
    expect(new Set(profiles.map(({ profile }) => profile.profileUid)).size).toBe(profiles.length);
    expect(new Set(profiles.map(({ profile }) => profile.name)).size).toBe(profiles.length);
  });

  describe.each(profiles)('$file', ({ file, profile }) => {
    it('has the shape of section 2.4', () => {
      validate(profile);
      expect(validate.errors ?? []).toEqual([]);
    });

    it('is named by its uid, community, maintained here', () => {
      expect(file).toBe(`${profile.profileUid}.json`);
      expect(profile.visibility).toBe('community');
      expect(profile.maintainer).toBe('Evidence Studio');
    });

    it('has 5 to 20 rules in order 1..n, with unique uids and names', () => {
      const { rules } = profile;
      expect(rules.length).toBeGreaterThanOrEqual(5);
      expect(rules.length).toBeLessThanOrEqual(20);
      expect(rules.map((rule) => rule.ruleOrder)).toEqual(oneToN(rules.length));
      expect(new Set(rules.map((rule) => rule.ruleUid)).size).toBe(rules.length);
      expect(new Set(rules.map((rule) => rule.name)).size).toBe(rules.length);
    });

    it('has rule names that fit a column header and three distinct meanings', () => {
      for (const rule of profile.rules) {
        expect([...rule.name].length, rule.ruleUid).toBeLessThanOrEqual(60);
        const meanings = [rule.evidenceMeaning, rule.problemMeaning, rule.notAvailableMeaning];
        expect(new Set(meanings).size, rule.ruleUid).toBe(3);
      }
    });

    it('holds clean text', () => expectCleanText(profile));
  });

  it('ask of a trio by rule IDs of their own, so that a join by ID never mixes questions', () => {
    const trio = profiles.find(({ profile }) => profile.domain === 'clinical_genetics')!.profile;
    const own = trio.rules.map((rule) => rule.ruleUid);
    expect(own.filter((uid) => OFFICIAL_TRIO_RULES.includes(uid))).toEqual([]);
  });

  it('keep the version of a trio that cases of 0.1 and 0.2 use, as it was', () => {
    const first = readJson(new URL('profiles/earlier/trio_rare_disease_1.0.json', content));
    const text = canonicalJson(first);
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      '6870ba29ff81ba9f6fb08eebe2f5ffdc136f165f1351c92efeaa7ff9343c623c',
    );
  });
});

describe('the 2.4 schema', () => {
  const good = profiles[0]!.profile;
  const withRule = (change: Record<string, unknown>) => ({
    ...good,
    rules: [{ ...good.rules[0], ...change }],
  });

  it.each<[string, unknown]>([
    ['an unknown profile field', { ...good, access: 'public' }],
    ['an unknown rule field', withRule({ weight: 1 })],
    ['visibility public', { ...good, visibility: 'public' }],
    ['another standard', { ...good, standard: 'SGA-QEM-2.0' }],
    ['a version with a letter', { ...good, version: '1.0a' }],
    ['an upper-case uid', { ...good, profileUid: 'Trio' }],
    ['no rules', { ...good, rules: [] }],
    ['rule order 0', withRule({ ruleOrder: 0 })],
    ['an empty meaning', withRule({ notAvailableMeaning: '' })],
    ['a missing scope', { ...good, scope: undefined }],
    ['a source that is no URI', { ...good, sourceUrl: 'not a uri' }],
  ])('refuses %s', (_, document) => {
    expect(validate(JSON.parse(JSON.stringify(document)))).toBe(false);
  });

  it('accepts a source URL', () => {
    expect(validate({ ...good, sourceUrl: 'https://example.org/profile' })).toBe(true);
  });
});

describe('the sample project', () => {
  const profile = profiles.find(
    (entry) => entry.profile.profileUid === sample.profile_uid,
  )?.profile;
  const ruleUids = profile?.rules.map((rule) => rule.ruleUid) ?? [];
  const cells = sample.items.flatMap((item) => item.evidence);
  const count = (outcome: string) => cells.filter((cell) => cell.raw_outcome === outcome).length;

  it('has the fields the first run sends, and no others', () => {
    expect(Object.keys(sample)).toEqual(['project', 'case', 'profile_uid', 'items']);
    expect(Object.keys(sample.project)).toEqual(['name', 'description', 'domain']);
    expect(Object.keys(sample.case)).toEqual([
      'case_uid',
      'title',
      'description',
      'case_type',
      'metadata',
    ]);
    expect(sample.case.case_uid).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);
    for (const item of sample.items) {
      expect(Object.keys(item)).toEqual(['item_uid', 'item_type', 'label', 'metadata', 'evidence']);
    }
  });

  it('uses a shipped profile of its own domain and says that it is a sample', () => {
    expect(profile?.domain).toBe(sample.project.domain);
    expect(sample.project.name).toMatch(/sample/i);
    expect(sample.case.title).toMatch(/sample/i);
    expect(sample.case.metadata).toMatchObject({ sample: true });
  });

  it('is 24 items by 8 to 14 rules, item uids unique', () => {
    expect(sample.items).toHaveLength(24);
    expect(new Set(sample.items.map((item) => item.item_uid)).size).toBe(24);
    expect(ruleUids.length).toBeGreaterThanOrEqual(8);
    expect(ruleUids.length).toBeLessThanOrEqual(14);
  });

  it('records each cell once, under a rule of the profile, in rule order', () => {
    for (const item of sample.items) {
      const recorded = item.evidence.map((cell) => cell.rule_uid);
      expect(recorded, item.item_uid).toEqual(ruleUids.filter((uid) => recorded.includes(uid)));
    }
  });

  it('holds only known fields and exact outcome tokens', () => {
    const fields = ['rule_uid', 'raw_outcome', 'source_value', 'notes', 'provenance'];
    for (const cell of cells) {
      expect(['TRUE', 'FALSE', 'NA']).toContain(cell.raw_outcome);
      expect(Object.keys(cell).filter((key) => !fields.includes(key))).toEqual([]);
      for (const text of [cell.source_value, cell.notes])
        expect(['string', 'undefined']).toContain(typeof text);
    }
  });

  it('shows every state: most cells recorded, each outcome, some unrecorded', () => {
    const matrixSize = sample.items.length * ruleUids.length;
    expect(cells.length / matrixSize).toBeGreaterThan(0.75);
    expect(cells.length).toBeLessThan(matrixSize);
    for (const outcome of ['TRUE', 'FALSE', 'NA'])
      expect(count(outcome), outcome).toBeGreaterThan(10);
  });

  it('carries a value or note on about a fifth of its cells', () => {
    const annotated = cells.filter(
      (cell) => cell.source_value !== undefined || cell.notes !== undefined,
    );
    expect(annotated.length / cells.length).toBeGreaterThan(0.15);
    expect(annotated.length / cells.length).toBeLessThan(0.25);
  });

  it('carries provenance both as text and as source, locator, method, date', () => {
    const provenances = cells.flatMap((cell) =>
      cell.provenance === undefined ? [] : [cell.provenance],
    );
    const structured = provenances.filter((provenance) => typeof provenance !== 'string');
    expect(structured.length).toBeGreaterThan(10);
    expect(provenances.length - structured.length).toBeGreaterThan(10);
    for (const provenance of structured) {
      expect(Object.keys(provenance)).toEqual(['source', 'locator', 'method', 'date']);
      expect(provenance.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(new Date(`${provenance.date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(
        provenance.date,
      );
    }
  });

  it('holds clean text that no spreadsheet reads as a formula', () => {
    expectCleanText(sample);
    expect(stringsIn(sample.items).filter((text) => /^[=+\-@]/.test(text))).toEqual([]);
  });
});
