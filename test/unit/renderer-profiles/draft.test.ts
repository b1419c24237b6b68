import { describe, expect, it } from 'vitest';
import {
  addRule,
  appendRules,
  duplicateRule,
  moveRule,
  removeRule,
  restoreRule,
  setHeader,
  setRule,
  versionSuggestion,
  type DraftChange,
} from '../../../src/renderer/features/profiles/editor/change-draft.ts';
import {
  copyDraft,
  documentOf,
  fileDraft,
  newDraft,
  nextVersionDraft,
  suggestUid,
  type ProfileDraft,
} from '../../../src/renderer/features/profiles/editor/draft.ts';
import { problemsOf } from '../../../src/renderer/features/profiles/editor/draft-problems.ts';
import {
  createDraftStore,
  parseDraft,
} from '../../../src/renderer/features/profiles/editor/draft-store.ts';
import {
  readRuleTable,
  rulesOf,
  tableProblem,
} from '../../../src/renderer/features/profiles/editor/paste-rules.ts';
import { readProfile } from '../../../src/renderer/features/profiles/transfer/read-file.ts';
import type { ProfileListEntry } from '../../../src/renderer/data/api/library.ts';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import { profileWith, ruleOf } from './arbitrary.ts';
import { asProfile } from '../../support/ids.ts';

const BIRTH = { id: '0'.repeat(32), now: 1_000 };
const BASE = profileWith([ruleOf('rule_a'), ruleOf('rule_b')]);
const after = (draft: ProfileDraft, ...changes: readonly DraftChange[]): ProfileDraft =>
  changes.reduce((former, change) => change(former), draft);
const entry = (profileUid: string, version: string): ProfileListEntry => ({
  ...BASE,
  profileUid: asProfile(profileUid),
  version,
  rule_count: 1,
  digest: 'sha256:x',
  access: 'private',
});
const places = (draft: ProfileDraft, known: readonly ProfileListEntry[] = []): string[] =>
  problemsOf(draft, known).map((problem) => problem.place);

describe('a draft', () => {
  it('of the next version publishes exactly its base until something is written', () => {
    expect(documentOf(nextVersionDraft(BASE, BIRTH))).toEqual(BASE);
  });
  it('suggests uids by the name until they are given, each once', () => {
    const draft = after(
      newDraft(BIRTH),
      setHeader('name', 'Éclair & Söhne 2'),
      setRule('r1', 'name', "Parent's GT"),
      addRule,
      setRule('r2', 'name', 'Parents GT'),
      setRule('r2', 'name', 'Parent’s GT'),
    );
    expect([draft.profileUid, ...draft.rules.map((rule) => rule.ruleUid)]).toEqual([
      'eclair_sohne_2',
      'parent_s_gt',
      'parent_s_gt_2',
    ]);
    expect(
      after(draft, setHeader('profileUid', 'own_uid'), setHeader('name', 'Other')).profileUid,
    ).toBe('own_uid');
    expect(suggestUid('基因', 96)).toBe('');
    expect(suggestUid('3rd '.repeat(40), 64)).toMatch(/^[a-z][a-z0-9_]{2,63}$/);
  });
  it('adds, duplicates, moves, removes and puts back; the order is renumbered', () => {
    const draft = after(
      nextVersionDraft(BASE, BIRTH),
      duplicateRule('r1'),
      addRule,
      moveRule('r2', 0),
      removeRule('r1'),
    );
    expect(draft.rules.map((rule) => rule.key)).toEqual(['r2', 'r3', 'r4']);
    expect(documentOf(draft).rules.map((rule) => rule.ruleOrder)).toEqual([1, 2, 3]);
    expect(draft.rules[1]!.ruleUid).toBe('name_of_rule_a_copy');
    const back = after(draft, restoreRule(nextVersionDraft(BASE, BIRTH).rules[0]!, 1));
    expect(back.rules.map((rule) => rule.key)).toEqual(['r2', 'r1', 'r3', 'r4']);
    expect(new Set(after(back, addRule).rules.map((rule) => rule.key)).size).toBe(5);
  });
  it('says each problem at its field, in words', () => {
    const draft = after(
      newDraft(BIRTH),
      setHeader('version', '1'),
      setHeader('sourceUrl', 'not a uri'),
      setRule('r1', 'name', 'Good name'),
    );
    expect(
      problemsOf(draft, []).map(({ field, place, message }) => [field, place, message]),
    ).toContainEqual(['r1/problemMeaning', 'Rule 1, meaning of TRUE', 'Must not be empty.']);
    expect(places(draft)).toEqual([
      'Name',
      'Profile ID',
      'Version',
      'Description',
      'Scope',
      'Maintainer',
      'Source address',
      'Rule 1, description',
      'Rule 1, meaning of FALSE',
      'Rule 1, meaning of TRUE',
      'Rule 1, meaning of NA',
    ]);
    expect(places({ ...draft, rules: [] })).toContain('Rules');
  });
  it('leaves published versions and foreign uids alone', () => {
    const next = nextVersionDraft(BASE, BIRTH);
    expect(places(next, [entry('test_profile', '1.0')])).toEqual(['Version']);
    expect(places({ ...next, version: '1.5' }, [entry('test_profile', '1.10')])).toEqual([
      'Version',
    ]);
    expect(places({ ...next, version: '2.0' }, [entry('test_profile', '1.10')])).toEqual([]);
    const copy = { ...copyDraft(BASE, BIRTH), maintainer: 'Us' };
    expect(places(copy)).toEqual([]);
    expect(places({ ...copy, profileUid: 'test_profile' }, [entry('test_profile', '1.0')])).toEqual(
      ['Profile ID'],
    );
  });
  it('suggests a version above the newest published one', () => {
    const draft = after(nextVersionDraft(BASE, BIRTH), addRule);
    expect(versionSuggestion(draft, ['1.0', '1.4'])).toEqual({ version: '1.5', distance: 'minor' });
    expect(versionSuggestion(newDraft(BIRTH), [])).toBeUndefined();
  });
});

function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}
const deaf = { addEventListener: () => undefined, removeEventListener: () => undefined };

describe('drafts on this computer', () => {
  it('come back as they were, newest first; one that cannot be read is kept apart', () => {
    const storage = memory();
    const store = createDraftStore(() => storage, deaf);
    const draft = { ...newDraft(BIRTH), changedAt: 2_000, name: 'a\u0000\ud800' };
    const other = { ...newDraft({ id: '1'.repeat(32), now: 1 }), changedAt: 3_000 };
    expect(
      store.put(draft) && store.put(other) && store.put(newDraft({ id: '2'.repeat(32), now: 1 })),
    ).toBe(true);
    storage.setItem('evidence-studio.profile-draft.x', '{"form":2}');
    storage.setItem('something.else', '{}');
    const again = createDraftStore(() => storage, deaf);
    expect(again.list()).toEqual({
      drafts: [other, draft],
      damaged: [{ key: 'evidence-studio.profile-draft.x', text: '{"form":2}' }],
    });
    again.removeDamaged('something.else');
    expect(storage.getItem('something.else')).toBe('{}');
    again.sweep(10);
    expect(again.get('2'.repeat(32))).toBeUndefined();
    expect(again.get(draft.id)).toEqual(draft);
  });
  it('a full or closed storage is said, not thrown', () => {
    const refuse = (): never => {
      throw new Error('quota');
    };
    for (const open of [() => ({ ...memory(), setItem: refuse, key: refuse, length: 1 }), refuse]) {
      const store = createDraftStore(open, deaf);
      expect(store.put(newDraft(BIRTH))).toBe(false);
      expect(store.list()).toEqual({ drafts: [], damaged: [] });
      store.remove('x');
    }
  });
  it.each([
    '',
    'null',
    '[]',
    '{"form":1}',
    JSON.stringify({ ...newDraft(BIRTH), more: 1 }),
    JSON.stringify({ ...newDraft(BIRTH), rules: [{ key: 'r1' }] }),
  ])('refuses %s', (text) => {
    expect(parseDraft(text)).toBeUndefined();
  });
});

describe('rules of a spreadsheet', () => {
  it('by their headings, in any order, quoted cells whole', () => {
    const table = readRuleTable(
      'TRUE means\tName\tNotes\tFALSE\tNA means\tDescription\r\n"no\tcall"\tCall\tmine\tcall\tnot asked\t"two\nlines"\r\n\r\n',
    );
    expect(rulesOf(table)).toEqual([
      {
        ruleUid: '',
        name: 'Call',
        description: 'two\nlines',
        evidenceMeaning: 'call',
        problemMeaning: 'no\tcall',
        notAvailableMeaning: 'not asked',
      },
    ]);
  });
  it('by place where nothing is named', () => {
    expect(readRuleTable('a\tb\tc\td\te').columns).toEqual([
      'name',
      'description',
      'evidenceMeaning',
      'problemMeaning',
      'notAvailableMeaning',
    ]);
    expect(readRuleTable('uid_a\tb\tc\td\te\tf\tg').columns).toEqual([
      'ruleUid',
      'name',
      'description',
      'evidenceMeaning',
      'problemMeaning',
      'notAvailableMeaning',
      'ignore',
    ]);
  });
  it('are refused beyond what a profile holds, and without a name', () => {
    expect(tableProblem(readRuleTable(''), 0)).toBe('There is no line of text yet.');
    expect(tableProblem(readRuleTable('a\tb\n'.repeat(500)), 1)).toContain('501');
    expect(tableProblem(readRuleTable('a\tb\n"c\td\n'), 0)).toBe(
      'Line 2: a quotation mark opens a cell that is never closed.',
    );
    expect(tableProblem(readRuleTable(`a\t${'b'.repeat(1_000_001)}`), 0)).toContain(
      '1,000,000 characters',
    );
    expect(tableProblem({ columns: ['ignore'], headed: false, rows: [['a']] }, 0)).toContain(
      'name of the rule',
    );
  });
  it('know no heading by the names that every object has', () => {
    expect(readRuleTable('constructor\tname\tdescription\na\tb\tc').columns).toEqual([
      'ignore',
      'name',
      'description',
    ]);
  });
  it('take the place of an untouched first rule and get a uid each', () => {
    const draft = appendRules(
      rulesOf(readRuleTable('Same name\tb\tc\td\te\nSame name\tb\tc\td\te')),
    )(newDraft(BIRTH));
    expect(draft.rules.map((rule) => [rule.key, rule.ruleUid])).toEqual([
      ['r2', 'same_name'],
      ['r3', 'same_name_2'],
    ]);
  });
});

describe('a profile in a file', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  it('is read as it was written', () => {
    expect(readProfile(bytes(canonicalJson(BASE)))).toEqual({ kind: 'profile', document: BASE });
    expect(readProfile(bytes(JSON.stringify(BASE, null, 2)))).toEqual({
      kind: 'profile',
      document: BASE,
    });
  });
  it.each([
    ['{"a": 1,}', /line 1, column \d+/],
    ['', /empty/],
    ['[1]', /not the object/],
    [`"${'x'.repeat(2 ** 20)}"`, /larger than 1 MiB/],
    ['{"a": "', /not JSON/],
  ])('%s is refused with the reason', (text, reason) => {
    const read = readProfile(bytes(text));
    expect(read.kind === 'unreadable' ? read.message : read.kind).toMatch(reason);
  });
  it('that is not UTF-8 is refused', () => {
    expect(readProfile(new Uint8Array([0x7b, 0xff, 0x7d])).kind).toBe('unreadable');
  });
  it('with faults lists each place in words', () => {
    const { scope: _scope, ...rest } = BASE;
    const read = readProfile(
      bytes(
        JSON.stringify({
          ...rest,
          standard: 'X',
          rules: [
            { ...BASE.rules[0], name: 7, weight: 1 },
            { ...BASE.rules[1], ruleOrder: 0 },
          ],
        }),
      ),
    );
    expect(read.kind === 'faulty' && read.faults).toEqual([
      { place: 'Standard', message: 'Must be SGA-QEM-1.0.' },
      { place: 'Scope', message: 'Is missing.' },
      { place: 'Rule 1, name', message: 'Must be text.' },
      { place: 'Rule 1', message: '"weight" is no field of a profile.' },
      { place: 'Rule 2, order', message: 'Must be at least 1.' },
    ]);
  });
  it('that says a field twice is not taken in silence', () => {
    const read = readProfile(
      bytes(JSON.stringify(BASE).replace('"name":"Test"', '"name":"Other","name":"Test"')),
    );
    expect(read.kind === 'faulty' && read.faults.map((fault) => fault.message)).toEqual([
      'A field is twice in one object; only the last of the two was read.',
    ]);
  });
  it('can be mended in the editor: what is text is filled in', () => {
    const draft = fileDraft(
      { name: 'X', profileUid: 4, rules: [{ name: 'R', ruleUid: 'rule_r', more: 1 }, null] },
      'x.json',
      BIRTH,
    );
    expect(draft).toMatchObject({
      name: 'X',
      profileUid: '',
      origin: { kind: 'file', file: 'x.json' },
      rules: [{ name: 'R', ruleUid: 'rule_r' }, { name: '' }],
    });
    expect(parseDraft(JSON.stringify(draft))).toEqual(draft);
  });
});
