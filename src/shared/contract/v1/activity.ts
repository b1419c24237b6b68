import { z } from 'zod';
import { None, Timestamp } from '../common.ts';
import { endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';

/** What one person or agent has written in one case. */
export const Activity = z.strictObject({
  case_uid: known.caseUid,
  title: z.string(),
  kind: z.enum(['human', 'agent', 'import']),
  by: z.string(),
  last_at: Timestamp,
  /** Changes of the case's log. */
  changes: z.int().min(1),
  /** Present where the case has more changes since then than were looked at. */
  more: z.literal(true).optional(),
});
export type Activity = z.infer<typeof Activity>;

export const listActivity = endpoint({
  id: 'listActivity',
  summary: 'Who has written in which cases since a moment: the 20 cases written to last',
  tag: 'Cases',
  method: 'GET',
  path: '/api/v1/activity',
  access: 'read',
  params: None,
  query: z.strictObject({
    since: Timestamp.describe('By the clock of this server, when it received a change.'),
    kind: Activity.shape.kind.describe('Only of such authors.').optional(),
  }),
  response: z.strictObject({ data: z.array(Activity) }),
  success: [200],
  errors: [],
});
