import { z } from 'zod';
import { ProfileUid, ProfileVersion } from '../../../shared/domain/uid.ts';
import { getProfile, listProfiles } from '../../../shared/contract/v1/profiles.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import { fitPage, pageOf, readPlace, short, ToolCursor } from '../answers.ts';
import { tool } from '../tool.ts';

export const RuleTexts = z.strictObject({
  rule_uid: z.string(),
  quoted: z.strictObject({
    name: z.string(),
    description: z.string(),
    FALSE: z.string().describe('What FALSE, evidence present, means here.'),
    TRUE: z.string().describe('What TRUE, problem found, means here.'),
    NA: z.string().describe('What NA, not available, means here.'),
  }),
});

/** A rule is a failure check: what each outcome means is part of it. */
export const ruleTexts = (rule: ProfileRule, most = 600): z.output<typeof RuleTexts> => ({
  rule_uid: rule.ruleUid,
  quoted: {
    name: short(rule.name, most),
    description: short(rule.description, most),
    FALSE: short(rule.evidenceMeaning, most),
    TRUE: short(rule.problemMeaning, most),
    NA: short(rule.notAvailableMeaning, most),
  },
});

export const profileTools = [
  tool({
    name: 'list_profiles',
    title: 'List evidence profiles',
    description:
      'Evidence profiles: sets of rules that items are checked against, each in its newest version. Read one with read_profile before you judge anything by it.',
    input: z.strictObject({
      search: z.string().min(1).max(200).optional().describe('Only those that hold this text.'),
      cursor: ToolCursor.optional(),
    }),
    output: z.strictObject({
      profiles: z.array(
        z.strictObject({
          profile_uid: z.string(),
          version: z.string(),
          domain: z.string(),
          rules: z.int(),
          retired: z.boolean(),
          quoted: z.strictObject({ name: z.string(), description: z.string(), scope: z.string() }),
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
    effect: 'reads',
    async run(studio, { search, cursor }) {
      const place = readPlace(cursor);
      const { data, next_cursor: next } = await studio.call(listProfiles, {
        query: {
          versions: 'newest',
          limit: '50',
          ...(search !== undefined && { search }),
          ...pageOf(place),
        },
      });
      const { shown, next_cursor } = fitPage({ entries: data, next }, place, (entry) => ({
        profile_uid: entry.profileUid,
        version: entry.version,
        domain: entry.domain,
        rules: entry.rule_count,
        retired: entry.retired === true,
        quoted: {
          name: short(entry.name, 200),
          description: short(entry.description, 300),
          scope: short(entry.scope, 200),
        },
      }));
      return { profiles: shown, next_cursor };
    },
  }),

  tool({
    name: 'read_profile',
    title: 'Read an evidence profile',
    description:
      'The rules of a profile, and what TRUE (problem found), FALSE (evidence present) and NA (not available) mean under each. Never judge by your own idea of a rule.',
    input: z.strictObject({
      profile_uid: ProfileUid,
      profile_version: ProfileVersion.optional().describe('The newest if left out.'),
      cursor: ToolCursor.optional(),
    }),
    output: z.strictObject({
      profile_uid: z.string(),
      version: z.string(),
      rules_in_all: z.int(),
      quoted: z.strictObject({ name: z.string(), description: z.string(), scope: z.string() }),
      rules: z.array(RuleTexts),
      next_cursor: z.string().nullable(),
    }),
    effect: 'reads',
    async run(studio, { profile_uid, profile_version, cursor }) {
      const document = await studio.call(getProfile, {
        params: { profileUid: profile_uid },
        query: { ...(profile_version !== undefined && { profile_version }) },
      });
      const { shown, next_cursor } = fitPage(
        { entries: document.rules, next: null },
        readPlace(cursor),
        (rule) => ruleTexts(rule),
      );
      return {
        profile_uid: document.profileUid,
        version: document.version,
        rules_in_all: document.rules.length,
        quoted: {
          name: short(document.name, 200),
          description: short(document.description, 500),
          scope: short(document.scope, 300),
        },
        rules: shown,
        next_cursor,
      };
    },
  }),
];
