import { z } from 'zod';
import { None, text } from '../common.ts';
import { endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';

const title = z.string();

/** Something that was found, with what leads to it. `detail` says where it stands. */
export const Found = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('project'), title, project_id: known.projectId }),
  z.strictObject({ kind: z.literal('case'), title, case_uid: known.caseUid }),
  z.strictObject({
    kind: z.literal('item'),
    title,
    item_uid: z.string(),
    case_uid: known.caseUid,
    case_title: z.string(),
  }),
  z.strictObject({
    kind: z.literal('run'),
    title,
    run_uid: known.runUid,
    case_uid: known.caseUid,
  }),
  z.strictObject({
    kind: z.literal('rule'),
    title,
    rule_uid: z.string(),
    profile_uid: known.profileUid,
    profile_name: z.string(),
    profile_version: z.string(),
  }),
]);
export type Found = z.infer<typeof Found>;

export const search = endpoint({
  id: 'search',
  summary:
    'Find projects, cases, items, runs and rules by a part of their names: at most five of each, ' +
    'among those written to last',
  tag: 'Cases',
  method: 'GET',
  path: '/api/v1/search',
  access: 'read',
  params: None,
  query: z.strictObject({
    q: text(200, 1).describe('Letters A to Z in either case.'),
  }),
  response: z.strictObject({ data: z.array(Found) }),
  success: [200],
  errors: [],
});
