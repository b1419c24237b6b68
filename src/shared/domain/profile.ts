import { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import { prose } from './text.ts';
import { ProfileUid, ProfileVersion, RuleUid } from './uid.ts';

export const MAX_RULES = 500;
const MAX_TEXT = 10_000;

/**
 * RFC 3986: a scheme, then the characters a URI may hold, other octets percent-encoded. Any scheme:
 * who shows it as a link must look at the scheme.
 */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$|^$/;

const text = prose(MAX_TEXT, 1);

/** A failure check. Its three meanings say what FALSE, TRUE and NA stand for, in that order. */
export const ProfileRule = z.strictObject({
  ruleOrder: z.int().min(1),
  ruleUid: RuleUid,
  name: text,
  description: text,
  evidenceMeaning: text,
  problemMeaning: text,
  notAvailableMeaning: text,
});
export type ProfileRule = z.infer<typeof ProfileRule>;

/** The evidence-profile document of standard SGA-QEM-1.0. (profileUid, version) is immutable. */
export const ProfileDocument = z
  .strictObject({
    name: text,
    profileUid: ProfileUid,
    version: ProfileVersion,
    visibility: z.enum(['community', 'private']),
    domain: z
      .string()
      .regex(
        /^[a-z][a-z0-9_]{1,31}$/,
        'Must be 2 to 32 lower-case letters, digits or "_", starting with a letter.',
      ),
    standard: z.literal('SGA-QEM-1.0'),
    standardVersion: z.literal('1.0'),
    description: text,
    scope: text,
    maintainer: text,
    /** Empty: none. */
    sourceUrl: z
      .string()
      .max(2_000, 'Must have at most 2000 characters.')
      .regex(URI, 'Must be a URI, such as https://example.org/profile.')
      .optional(),
    rules: z
      .array(ProfileRule)
      .min(1, 'Must hold at least one rule.')
      .max(MAX_RULES, `Must hold at most ${MAX_RULES} rules.`),
  })
  .superRefine((profile, ctx) => {
    for (const field of ['ruleUid', 'ruleOrder'] as const) {
      const seen = new Set<string | number>();
      for (const [index, rule] of profile.rules.entries()) {
        if (seen.has(rule[field]))
          ctx.addIssue({
            code: 'custom',
            path: ['rules', index, field],
            message: `Must be unique in the profile: another rule has the same ${field}.`,
          });
        seen.add(rule[field]);
      }
    }
  });
export type ProfileDocument = z.infer<typeof ProfileDocument>;

/** Schemes whose addresses are programs or pages of whoever wrote them. */
const ACTIVE = /^(?:javascript|data|vbscript|blob|filesystem):/i;

/**
 * A document that is published here. One that another server announced is taken as it is (S1), and
 * its source is shown as text.
 */
export const PublishedProfile = ProfileDocument.refine(
  ({ sourceUrl }) => sourceUrl === undefined || !ACTIVE.test(sourceUrl),
  { path: ['sourceUrl'], message: 'Must be the address of a source, not a script or data.' },
);

/**
 * `sha256:` + hex over the canonical JSON: equal for equal content, whatever the order of members
 * or the white space.
 */
export function profileDigest(document: ProfileDocument, hasher: Hasher): string {
  return `sha256:${hasher.sha256Hex(canonicalJson(document))}`;
}
