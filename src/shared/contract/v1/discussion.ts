import { z } from 'zod';
import {
  AssignedPlace,
  Assignment,
  Mentions,
  ThreadId,
  ThreadOpening,
  ThreadPlace,
  ThreadText,
} from '../../domain/thread.ts';
import { ParticipantId } from '../../domain/round.ts';
import { CaseUid, ItemUid, RuleUid } from '../../domain/uid.ts';
import { Sender } from '../../domain/sender.ts';
import { DryRun, list, None, paging, Timestamp } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';

const caseParams = z.strictObject({ caseUid: CaseUid });
const threadParams = z.strictObject({ caseUid: CaseUid, threadId: ThreadId });

/** A person or an agent. `name` is null where this server does not know them. */
export const Participant = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  kind: z.enum(['human', 'agent']),
});
export type Participant = z.infer<typeof Participant>;

export const ThreadState = z.enum(['open', 'answered', 'closed']);
export const Awaiting = z.enum(['assigned', 'answered', 'mentioned']);

/**
 * What is discussed of a cell, an item or a rule, beside the record: no result, hash or entity tag
 * depends on it. `waits_for`: whoever is asked, or was mentioned and has written nothing since.
 */
export const Thread = z.strictObject({
  case_uid: known.caseUid,
  thread_id: z.string(),
  place: ThreadPlace,
  item_label: z.string().nullable(),
  rule_name: z.string().nullable(),
  kind: ThreadOpening.shape.kind,
  state: ThreadState,
  text: z.string(),
  assigned_to: Participant.nullable(),
  opened_by: Participant,
  opened_at: Timestamp,
  last_at: Timestamp,
  /** How many entries it has, the beginning counted. */
  size: z.int(),
  waits_for: z.array(Participant.extend({ why: Awaiting })),
});
export type Thread = z.infer<typeof Thread>;

/** One entry of a thread. `sent_by`: who brought it here, where that is not its author. */
export const ThreadLine = z.strictObject({
  entry: z.string(),
  does: z.enum(['open', 'comment', 'answer', 'close', 'reopen', 'assign']),
  text: z.string().nullable(),
  mentions: z.array(Participant),
  /** Whom it assigns the thread to; null: nobody, or it does not assign. */
  assigned_to: Participant.nullable(),
  by: Participant,
  at: Timestamp,
  clock_differs: z.boolean(),
  sent_by: Sender.nullable(),
});
export type ThreadLine = z.infer<typeof ThreadLine>;

export const listThreads = endpoint({
  id: 'listThreads',
  summary: 'Threads of discussion of a case, the ones opened last first',
  tag: 'Discussion',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/threads',
  access: 'read',
  params: caseParams,
  query: z.strictObject({
    state: ThreadState.describe('Only threads in this state.').optional(),
    kind: ThreadOpening.shape.kind.describe('Only queries, or only comments.').optional(),
    on: z.enum(['cell', 'item', 'rule']).describe('Only threads on such places.').optional(),
    item_uid: ItemUid.describe('Only threads on this item or its cells.').optional(),
    rule_uid: RuleUid.describe('Only threads on this rule or its cells.').optional(),
    assigned_to: ParticipantId.describe('Only threads that are assigned to them.').optional(),
    ...paging,
  }),
  response: list(Thread),
  success: [200],
  errors: ['not_found'],
});

export const ThreadInput = z.strictObject({
  place: ThreadPlace,
  kind: ThreadOpening.shape.kind.describe(
    'A `query` asks for an answer and stays open until somebody closes it.',
  ),
  text: ThreadText,
  mentions: Mentions.optional(),
  assigned_to: ParticipantId.describe('Who is to answer; people alone assign.').optional(),
});
export type ThreadInput = z.infer<typeof ThreadInput>;

export const openThread = endpoint({
  id: 'openThread',
  summary: 'Ask or say something about a cell, an item or a rule',
  tag: 'Discussion',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/threads',
  access: 'suggest',
  params: caseParams,
  query: DryRun,
  body: ThreadInput,
  bodyLimit: BODY_LIMIT,
  response: Thread,
  success: [201],
  errors: ['not_found', 'author_not_allowed', 'conflict'],
});

export const getThread = endpoint({
  id: 'getThread',
  summary: 'A thread with what was said in it, the same order on every server',
  tag: 'Discussion',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/threads/{threadId}',
  access: 'read',
  params: threadParams,
  query: z.strictObject(paging),
  response: Thread.extend({ entries: z.array(ThreadLine), next_cursor: z.string().nullable() }),
  success: [200],
  errors: ['not_found'],
});

/** What is added to a thread. Agents comment and answer; people also close, reopen and assign. */
export const ThreadReply = z.discriminatedUnion('does', [
  z.strictObject({ does: z.literal('comment'), text: ThreadText, mentions: Mentions.optional() }),
  z.strictObject({ does: z.literal('answer'), text: ThreadText, mentions: Mentions.optional() }),
  z.strictObject({ does: z.literal('close'), text: ThreadText.optional() }),
  z.strictObject({ does: z.literal('reopen'), text: ThreadText, mentions: Mentions.optional() }),
  z.strictObject({
    does: z.literal('assign'),
    to: ParticipantId.nullable(),
    text: ThreadText.optional(),
  }),
]);
export type ThreadReply = z.infer<typeof ThreadReply>;

export const addToThread = endpoint({
  id: 'addToThread',
  summary: 'Comment, answer, close, reopen or assign a thread; nothing that was said is removed',
  tag: 'Discussion',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/threads/{threadId}/entries',
  access: 'suggest',
  params: threadParams,
  query: DryRun,
  body: ThreadReply,
  bodyLimit: BODY_LIMIT,
  response: Thread,
  success: [200],
  errors: ['not_found', 'author_not_allowed', 'conflict'],
});

export const AssignedRow = z.strictObject({
  place: AssignedPlace,
  assigned_to: Participant,
  assigned_by: z.string(),
  assigned_at: Timestamp,
});
export type AssignedRow = z.infer<typeof AssignedRow>;

export const listAssignments = endpoint({
  id: 'listAssignments',
  summary: 'Which items and rules of a case are assigned to whom',
  tag: 'Discussion',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/assignments',
  access: 'read',
  params: caseParams,
  query: z.strictObject({
    assigned_to: ParticipantId.describe('Only what is assigned to them.').optional(),
    ...paging,
  }),
  response: list(AssignedRow),
  success: [200],
  errors: ['not_found'],
});

export const AssignmentsInput = z.strictObject({
  places: z.array(AssignedPlace).min(1).max(1_000),
  to: Assignment.shape.to.describe('Who is to record them; null: nobody in particular.'),
});
export type AssignmentsInput = z.infer<typeof AssignmentsInput>;

export const assignPlaces = endpoint({
  id: 'assignPlaces',
  summary: 'Assign items and rules of a case to somebody',
  tag: 'Discussion',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/assignments',
  access: 'session',
  params: caseParams,
  query: DryRun,
  body: AssignmentsInput,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ assigned: z.int(), unchanged: z.int() }),
  success: [200],
  errors: ['not_found'],
});

/** Most cases of an answer, and most threads of a case in it. */
export const MOST_WAITING = 50;

/** What waits for the caller in one case. */
export const WaitingCase = z.strictObject({
  case_uid: known.caseUid,
  title: z.string(),
  /** At most 50 of them; `waiting` says how many there are. */
  threads: z.array(Thread.extend({ why: Awaiting })),
  waiting: z.int(),
  items: z.int(),
  rules: z.int(),
});
export type WaitingCase = z.infer<typeof WaitingCase>;

export const listWaiting = endpoint({
  id: 'listWaiting',
  summary: 'What waits for the caller: queries, mentions, assigned items and rules of all cases',
  tag: 'Discussion',
  method: 'GET',
  path: '/api/v1/waiting',
  access: 'read',
  params: None,
  query: None,
  response: z.strictObject({ data: z.array(WaitingCase) }),
  success: [200],
  errors: [],
});
