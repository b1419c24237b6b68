import { asStream, asUser } from '../support/ids.ts';
import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { type Change, type Entry, seal, type SealedChange } from '../../src/sync/change.ts';
import { testHasher } from '../support/hasher.ts';
import { Oracle } from './oracle.ts';

/** The matrix that peers write, and a rule that its profile does not have. */
export interface Ground {
  caseUid: string;
  matrix: string;
  rules: readonly string[];
}
/** The last two stand the other way round by UTF-16 code units. */
export const ITEMS = ['i0', 'i1', 'item/with a/slash', 'ü#%41', '\ue000', '😀'] as const;
const FOREIGN_RULE = 'rule_of_nobody';
const NOBODY = `c1_${createHash('sha256').update('nobody').digest('base64url')}#0`;
/** Entries that need this are for a later version of the application. */
export const NEWER_SCHEMA = 99;

export const GESTURES = [
  'set',
  'clear',
  'note',
  'resolve',
  'resolve note',
  'delete',
  'undelete',
  'label',
  'type',
  'place',
  'metadata',
  'restore',
  'case field',
  'run',
  'crooked',
] as const;
/** `case deletion` takes the case itself away, or brings it back. */
export type Gesture = (typeof GESTURES)[number] | 'case deletion';
export const CROOKED = [
  'unknown register',
  'bad value',
  'two parents',
  'resolve of nothing',
  'unknown operation',
  'newer schema',
  'bad address',
  'profile in a case',
  'parent of another register',
  'parent out of range',
  'parent of nobody',
  'register twice',
  'old parent',
  'foreign rule',
  'parent in quarantine',
  'parent with NUL',
] as const;
type Crooked = (typeof CROOKED)[number];

export interface Intent {
  gesture: Gesture;
  item: number;
  rule: number;
  value: number;
  crooked: Crooked;
  pick: number;
}
export const intent: fc.Arbitrary<Intent> = fc.record({
  gesture: fc.oneof(
    { weight: 6, arbitrary: fc.constant('set' as const) },
    { weight: 8, arbitrary: fc.constantFrom(...GESTURES) },
    { weight: 3, arbitrary: fc.constant('crooked' as const) },
  ),
  // Mostly the same two cells: what does not meet cannot contest.
  item: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.nat(ITEMS.length - 1) },
  ),
  rule: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) }),
  value: fc.nat(7),
  crooked: fc.constantFrom(...CROOKED),
  pick: fc.nat(50),
});

export interface Built {
  sealed: SealedChange;
  /** The entries that nobody of this version may apply, as they were made to be. */
  broken: number[];
}

const OUTCOMES = ['TRUE', 'FALSE', 'NA', null] as const;
export function assertionOf(value: number): {
  raw_outcome: string | null;
  source_value?: string;
  provenance?: unknown;
} {
  return {
    raw_outcome: OUTCOMES[value % 4] ?? null,
    ...(value > 3 ? { source_value: `source ${value}` } : {}),
    ...(value === 5 ? { provenance: { page: [1, { z: 'ü' }] } } : {}),
  };
}

const METADATA = [{}, { constructor: 'Text', deep: [{ n: 1e-7 }] }, { 'ü\u0000': null }] as const;
const CASE_FIELDS: readonly [field: string, value: unknown][] = [
  ['title', 'A title'],
  ['title', ''],
  ['description', 'Words.'],
  ['case_type', 'trio'],
  ['metadata', { a: 1 }],
  ['profile', null],
  ['profile', { profile_uid: 'profile_of_nobody', profile_version: '3.1' }],
];

/**
 * Somebody elsewhere: what they hold, and what of it they have not sent. Some of what they make is
 * not as it should be.
 */
export class Peer {
  readonly held = new Oracle();
  unsent: Built[] = [];
  cursor = 0;
  readonly #ground: Ground;
  readonly #user: string;
  #tick = 0;

  constructor(ground: Ground, user: string) {
    this.#ground = ground;
    this.#user = user;
  }

  hold(sealed: SealedChange, broken: readonly number[]): void {
    this.held.add(sealed, broken);
  }

  /**
   * One gesture of one or more entries. `clock`: 0 as time goes, 1 behind all others, 2 ten years
   * ahead.
   */
  write(intents: readonly Intent[], clock: number, hasReason: boolean): Built {
    const entries: Entry[] = [];
    const broken: number[] = [];
    const taken = new Set<string>();
    for (const one of intents) {
      for (const { entry, isBroken } of this.#draft(one, hasReason)) {
        // H5 an author writes a register once in a change, unless that is the very crookedness.
        if (taken.has(entry.reg) && one.crooked !== 'register twice') continue;
        taken.add(entry.reg);
        if (isBroken) broken.push(entries.length);
        entries.push(entry);
      }
    }
    if (entries.length === 0)
      entries.push({ op: 'set', parents: [], reg: 'future/nothing', value: null });
    if (entries.length === 1 && entries[0]?.reg === 'future/nothing') broken.push(0);
    const sealed = seal(this.#envelope(entries, clock, hasReason), testHasher);
    const built = { sealed, broken: [...new Set(broken)] };
    this.hold(sealed, built.broken);
    this.unsent.push(built);
    return built;
  }

  #envelope(entries: Entry[], clock: number, hasReason: boolean): Change {
    this.#tick += 1;
    const base = [0x019b76daa800, 0x000000000100, 0x01ff00000000][clock] ?? 0;
    return {
      v: 1,
      case: asStream(this.#ground.caseUid),
      hlc: `${(base + this.#tick * 7).toString(16).padStart(12, '0')}-0000`,
      wall: '2026-01-01T01:00:00.000+01:00',
      by: { user: asUser(this.#user), kind: 'human', agent: null, key: null },
      at: { replica: `r_${this.#user}`, app: '9.9.9', schema: 1 },
      txn: `t_${this.#user}_${this.#tick}`,
      why: hasReason ? (['because', 'be\0cause'][this.#tick % 2] ?? null) : null,
      nonce: randomBytes(16).toString('hex'),
      entries,
    };
  }

  #draft(
    { gesture, item: itemAt, rule: ruleAt, value, crooked, pick }: Intent,
    hasReason: boolean,
  ): { entry: Entry; isBroken: boolean }[] {
    const { matrix, rules } = this.#ground;
    const item = ITEMS[itemAt] ?? 'i0';
    const rule = rules[ruleAt % rules.length] ?? '';
    const [assertion, notes] = [`a/${matrix}/${rule}/${item}`, `n/${matrix}/${rule}/${item}`];
    /** As a person's window writes: names what is displayed, and nothing else. */
    const plain = (reg: string, given: unknown): { entry: Entry; isBroken: boolean }[] => [
      {
        entry: {
          op: 'set',
          parents: this.held
            .heads(reg)
            .slice(0, 1)
            .map((head) => head.name),
          reg,
          value: given,
        },
        isBroken: false,
      },
    ];
    const resolve = (reg: string, given: unknown): { entry: Entry; isBroken: boolean }[] => {
      const parents = this.held
        .heads(reg)
        .map((head) => head.name)
        .sort();
      return parents.length === 0 || parents.length > 64
        ? []
        : [{ entry: { op: 'resolve', parents, reg, value: given }, isBroken: !hasReason }];
    };
    switch (gesture) {
      case 'set':
        return plain(assertion, assertionOf(value));
      case 'clear':
        return plain(assertion, { raw_outcome: null });
      case 'note':
        return plain(notes, value % 4 === 0 ? null : `note ${value % 3}`);
      case 'resolve':
        return resolve(assertion, assertionOf(value));
      case 'resolve note':
        return resolve(notes, `settled ${value % 2}`);
      case 'delete':
        return plain(`item/x/${item}`, {
          deleted: true,
          reason: 'not a case',
          covers: rules.flatMap((one) =>
            this.held.heads(`a/${matrix}/${one}/${item}`).map((head) => head.name),
          ),
        });
      case 'undelete':
        return plain(`item/x/${item}`, { deleted: false });
      case 'label':
        return plain(`item/label/${item}`, `label ${value % 3}`);
      case 'type':
        return plain(`item/item_type/${item}`, `type_${value % 2}`);
      case 'place':
        return plain(`item/position/${item}`, value % 3 === 0 ? value / 4 : -value);
      case 'metadata':
        return plain(`item/metadata/${item}`, METADATA[value % METADATA.length]);
      case 'restore':
        return this.#restore(assertion, pick);
      case 'case field': {
        const [field, said] = CASE_FIELDS[value % CASE_FIELDS.length] ?? [];
        return plain(`case/${field}`, said);
      }
      case 'case deletion':
        return plain('case/x', { deleted: value % 2 === 0 });
      case 'run':
        return [
          {
            entry: {
              op: 'announce',
              parents: [],
              reg: `run/run_${pick % 3}`,
              value: { content_hash: `sha256:${String(value).repeat(64)}` },
            },
            isBroken: false,
          },
        ];
      case 'crooked':
        return this.#crooked(crooked, { assertion, item, value, pick }).map(
          ([entry, isBroken]) => ({ entry, isBroken }),
        );
    }
  }

  /** An undo: writes again what an earlier entry said, over what is displayed. */
  #restore(reg: string, pick: number): { entry: Entry; isBroken: boolean }[] {
    const entries = this.held.entries(reg);
    const earlier = entries[pick % Math.max(1, entries.length)];
    if (earlier === undefined) return [];
    return [
      {
        entry: {
          op: 'set',
          parents: this.held
            .heads(reg)
            .slice(0, 1)
            .map((head) => head.name),
          reg,
          value: earlier.value,
          restores: earlier.name,
        },
        isBroken: false,
      },
    ];
  }

  #crooked(
    kind: Crooked,
    {
      assertion,
      item,
      value,
      pick,
    }: { assertion: string; item: string; value: number; pick: number },
  ): [Entry, boolean][] {
    const set = (reg: string, given: unknown, parents: string[] = []): Entry => ({
      op: 'set',
      parents,
      reg,
      value: given,
    });
    const outcome = assertionOf(value);
    const names = (of: (reg: string) => boolean): string[] =>
      this.held
        .registers()
        .filter(of)
        .flatMap((reg) => this.held.entries(reg).map((entry) => entry.name));
    const one = (from: readonly string[]): string[] =>
      from.length === 0 ? [] : [from[pick % from.length] ?? ''];
    const others = names((reg) => reg !== assertion);
    switch (kind) {
      case 'unknown register':
        return [[set(`future/thing/${value}`, { any: ['thing', value] }), true]];
      case 'bad value':
        return [
          [
            set(
              assertion,
              [
                { raw_outcome: true },
                'TRUE',
                { raw_outcome: 'TRUE ' },
                { raw_outcome: 'TRUE', mood: 1 },
              ][value % 4],
            ),
            true,
          ],
        ];
      case 'two parents':
        return [
          [
            set(
              assertion,
              outcome,
              [NOBODY, ...one(names((reg) => reg === assertion)), NOBODY.replace('#0', '#1')].slice(
                0,
                2,
              ),
            ),
            true,
          ],
        ];
      case 'resolve of nothing':
        return [[{ ...set(assertion, outcome), op: 'resolve' }, true]];
      case 'unknown operation':
        return [[{ ...set(assertion, outcome), op: 'merge' }, true]];
      case 'newer schema':
        return [[{ ...set(assertion, outcome), schema: NEWER_SCHEMA } as Entry, true]];
      case 'bad address':
        return [[set(assertion.replace(item, ' padded'), outcome), true]];
      case 'profile in a case':
        return [[set('project/name', 'x'), true]];
      case 'parent of another register':
        return [[set(assertion, outcome, one(others)), false]];
      case 'parent out of range':
        return [
          [
            set(assertion, outcome, [
              `${(one(others)[0] ?? NOBODY).split('#')[0]}#${pick % 2 === 0 ? '1999' : '01'}`,
            ]),
            false,
          ],
        ];
      case 'parent of nobody':
        return [[set(assertion, outcome, [NOBODY]), false]];
      case 'parent with NUL':
        return [[set(assertion, outcome, ['\0#0']), false]];
      case 'register twice':
        return [
          [set(assertion, outcome), false],
          [set(assertion, assertionOf((value + 1) % 8)), false],
        ];
      case 'old parent':
        return [[set(assertion, outcome, one(names((reg) => reg === assertion))), false]];
      case 'foreign rule':
        return [
          [set(assertion.replace(/^(a\/[^/]+\/)[^/]+/, `$1${FOREIGN_RULE}`), outcome), false],
        ];
      case 'parent in quarantine': {
        const kept = [...this.held.quarantined].flatMap(([id, indexes]) =>
          indexes.map((index) => `${id}#${index}`),
        );
        return [[set(assertion, outcome, one(kept)), false]];
      }
    }
  }
}
