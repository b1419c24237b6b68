import { z } from 'zod';
import { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { known } from '../../../../shared/contract/ids.ts';

const Text = z.string();

const DraftRule = z.strictObject({
  /** Names the rule within the draft, whatever its uid. */
  key: z.string().min(1),
  ruleUid: Text,
  /** The uid was given by a person, so the name no longer suggests it. */
  uidGiven: z.boolean(),
  name: Text,
  description: Text,
  evidenceMeaning: Text,
  problemMeaning: Text,
  notAvailableMeaning: Text,
});
export type DraftRule = z.infer<typeof DraftRule>;

const Origin = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('new') }),
  /** The next version of a published one, kept whole: suggestions need it offline too. */
  z.strictObject({ kind: z.literal('version'), base: ProfileDocument }),
  z.strictObject({ kind: z.literal('copy'), uid: Text, version: Text }),
  z.strictObject({ kind: z.literal('file'), file: Text }),
]);

/**
 * A profile that is being written: any text in any field, kept on this computer until it is
 * published.
 */
export const ProfileDraft = z.strictObject({
  form: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{32}$/),
  origin: Origin,
  name: Text,
  profileUid: Text,
  uidGiven: z.boolean(),
  version: Text,
  versionGiven: z.boolean(),
  visibility: z.enum(['community', 'private']),
  domain: Text,
  description: Text,
  scope: Text,
  maintainer: Text,
  sourceUrl: Text,
  rules: z.array(DraftRule),
  /** Grows with every rule ever added, so that keys are never used twice. */
  keys: z.int().min(0),
  createdAt: z.number(),
  changedAt: z.number(),
});
export type ProfileDraft = z.infer<typeof ProfileDraft>;

interface Birth {
  id: string;
  now: number;
}

export const emptyRule = (key: string): DraftRule => ({
  key,
  ruleUid: '',
  uidGiven: false,
  name: '',
  description: '',
  evidenceMeaning: '',
  problemMeaning: '',
  notAvailableMeaning: '',
});

function blank({ id, now }: Birth): ProfileDraft {
  return {
    form: 1,
    id,
    origin: { kind: 'new' },
    name: '',
    profileUid: '',
    uidGiven: false,
    version: '1.0',
    versionGiven: false,
    visibility: 'private',
    domain: 'general',
    description: '',
    scope: '',
    maintainer: '',
    sourceUrl: '',
    rules: [],
    keys: 0,
    createdAt: now,
    changedAt: now,
  };
}

export function newDraft(birth: Birth): ProfileDraft {
  return { ...blank(birth), rules: [emptyRule('r1')], keys: 1 };
}

function filled(document: ProfileDocument, birth: Birth): ProfileDraft {
  const {
    name,
    profileUid,
    version,
    visibility,
    domain,
    description,
    scope,
    maintainer,
    sourceUrl = '',
  } = document;
  const rules = document.rules
    .toSorted((a, b) => a.ruleOrder - b.ruleOrder)
    .map(({ ruleOrder: _order, ...rule }, index) => ({
      ...rule,
      key: `r${index + 1}`,
      uidGiven: true,
    }));
  return {
    ...blank(birth),
    name,
    profileUid,
    version,
    visibility,
    domain,
    description,
    scope,
    maintainer,
    sourceUrl,
    uidGiven: true,
    rules,
    keys: rules.length,
  };
}

export function nextVersionDraft(base: ProfileDocument, birth: Birth): ProfileDraft {
  return { ...filled(base, birth), origin: { kind: 'version', base } };
}

export function copyDraft(of: ProfileDocument, birth: Birth): ProfileDraft {
  const name = `${of.name} (copy)`;
  return {
    ...filled(of, birth),
    origin: { kind: 'copy', uid: of.profileUid, version: of.version },
    name,
    profileUid: suggestUid(name, 96),
    uidGiven: false,
    version: '1.0',
    visibility: 'private',
    maintainer: '',
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const members = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/**
 * What can be read of a file that is no valid profile; its faults are shown where the file is
 * opened.
 */
export function fileDraft(content: unknown, file: string, birth: Birth): ProfileDraft {
  const from = members(content);
  const rules = (Array.isArray(from['rules']) ? from['rules'] : []).map(
    (entry: unknown, index): DraftRule => {
      const rule = members(entry);
      return {
        key: `r${index + 1}`,
        ruleUid: text(rule['ruleUid']),
        uidGiven: text(rule['ruleUid']) !== '',
        name: text(rule['name']),
        description: text(rule['description']),
        evidenceMeaning: text(rule['evidenceMeaning']),
        problemMeaning: text(rule['problemMeaning']),
        notAvailableMeaning: text(rule['notAvailableMeaning']),
      };
    },
  );
  return {
    ...blank(birth),
    origin: { kind: 'file', file },
    name: text(from['name']),
    profileUid: text(from['profileUid']),
    uidGiven: text(from['profileUid']) !== '',
    version: text(from['version']),
    versionGiven: true,
    visibility: from['visibility'] === 'community' ? 'community' : 'private',
    domain: text(from['domain']),
    description: text(from['description']),
    scope: text(from['scope']),
    maintainer: text(from['maintainer']),
    sourceUrl: text(from['sourceUrl']),
    rules,
    keys: rules.length,
  };
}

/**
 * The document that the draft would be published as, valid or not. Rules are numbered as they
 * stand.
 */
export function documentOf(draft: ProfileDraft): ProfileDocument {
  const {
    name,
    profileUid,
    version,
    visibility,
    domain,
    description,
    scope,
    maintainer,
    sourceUrl,
  } = draft;
  return {
    name,
    profileUid: known.profileUid.parse(profileUid),
    version,
    visibility,
    domain,
    standard: 'SGA-QEM-1.0',
    standardVersion: '1.0',
    description,
    scope,
    maintainer,
    ...(sourceUrl === '' ? {} : { sourceUrl }),
    rules: draft.rules.map(({ key: _key, uidGiven: _given, ...rule }, index) => ({
      ruleOrder: index + 1,
      ...rule,
    })),
  };
}

/**
 * An identifier made of a name: "Parent's GT (2)" as "parent_s_gt_2". Empty where the name holds
 * nothing to make one of.
 */
export function suggestUid(
  name: string,
  most: number,
  taken: ReadonlySet<string> = new Set(),
): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '');
  if (plain.length < 3) return '';
  const short = plain.slice(0, most).replace(/_+$/, '');
  if (!taken.has(short)) return short;
  for (let number = 2; ; number += 1) {
    const candidate = `${short.slice(0, most - `_${number}`.length)}_${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Nobody has written anything yet. */
export const isUntouched = (draft: ProfileDraft): boolean => draft.changedAt === draft.createdAt;
