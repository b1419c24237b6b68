import type { ErrorCode } from '../../../src/shared/contract/errors.ts';
import { TRIO } from '../../support/evidence.ts';
import { CELL, type Objects, RECORDERS, type World } from './world.ts';

/** `ok`, the code of a refusal, or the status of a page. */
export type Expected = 'ok' | ErrorCode | number;

export interface Row {
  /** Path as sent; with the first account's names or with `ABSENT`. */
  path: string | ((names: Objects) => string);
  body?: (names: Objects, world: World) => unknown;
  /** Names of its own for every request: of what the request ends or uses up. */
  fresh?: (world: World) => Promise<Partial<Objects>>;
  /** What the other account's owner gets for the first account's names. */
  other: Expected;
  /** Where the answer may differ from that for absent names though no name is in it, and why. */
  differs?: string;
  /** Where the roles' answers are not those of `access`. */
  roles?: Partial<Record<'owner' | 'member' | 'viewer', Expected>>;
  /**
   * Of a page, what everybody without a session gets; an operation's answer follows from `access`.
   */
  nobody?: Expected;
  /** What an owner's key for reading gets, where that does not follow from `access`. */
  reader?: Expected;
}

const uid = encodeURIComponent;
const SEEN = { rule_uid: CELL.rule, raw_outcome: 'FALSE', notes: 'seen' };
const profile = {
  profileUid: 'of_each_account',
  version: '1.0',
  visibility: 'private',
  name: 'Of each',
  domain: 'general',
  standard: 'SGA-QEM-1.0',
  standardVersion: '1.0',
  description: 'd',
  scope: 's',
  maintainer: 'm',
  rules: [
    {
      ruleOrder: 1,
      ruleUid: 'rule_of_each',
      name: 'Rule',
      description: 'd',
      evidenceMeaning: 'e',
      problemMeaning: 'p',
      notAvailableMeaning: 'n',
    },
  ],
};
/** SHA-256 of `{}`. */
const EMPTY_BLOB = {
  sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  blob: '{}',
};
const NO_UPLINK = { other: 'conflict', roles: { owner: 'conflict', member: 'conflict' } } as const;

const roundPath = (names: Objects, of = ''): string =>
  `/api/v1/cases/${uid(names.case)}/rounds/${names.round}${of}`;
/** Whoever does not record in a round writes nothing in it. */
const NO_RECORDER = { owner: 'author_not_allowed', member: 'author_not_allowed' } as const;

/** For owners only. */
const OWNER = { member: 'insufficient_scope', viewer: 'read_only_role' } as const;

export const ROWS: Readonly<Record<string, Row>> = {
  'GET /api/v1/projects': { path: '/api/v1/projects', other: 'ok' },
  'POST /api/v1/projects': {
    path: '/api/v1/projects',
    body: (names) => ({ project_id: names.project, name: 'Renamed' }),
    other: 'not_found',
  },
  'GET /api/v1/projects/{projectId}': {
    path: (names) => `/api/v1/projects/${names.project}`,
    other: 'not_found',
  },
  'GET /api/v1/projects/{projectId}/contested-fields': {
    path: (names) => `/api/v1/projects/${names.project}/contested-fields`,
    other: 'not_found',
  },
  'POST /api/v1/projects/{projectId}/contested-fields': {
    path: (names) => `/api/v1/projects/${names.project}/contested-fields`,
    body: () => ({ field: 'name', heads: ['one', 'two'], take: 'one', reason: 'r' }),
    other: 'not_found',
    roles: { owner: 'conflict', member: 'conflict' },
  },
  'GET /api/v1/profiles': { path: '/api/v1/profiles?limit=200', other: 'ok' },
  'GET /api/v1/profiles/{profileUid}': {
    path: (names) => `/api/v1/profiles/${names.profile}`,
    other: 'not_found',
  },
  'POST /api/v1/profiles': {
    path: '/api/v1/profiles',
    body: () => profile,
    other: 'ok',
    differs: 'each account has a private profile of this name',
  },
  'GET /api/v1/profile-collisions': { path: '/api/v1/profile-collisions', other: 'ok' },
  'POST /api/v1/profile-collisions': {
    path: '/api/v1/profile-collisions',
    body: (names) => ({
      profile_uid: names.profile,
      profile_version: '1.1',
      digest: names.hash,
      decision: 'keep',
      reason: 'r',
    }),
    other: 'not_found',
    roles: { owner: 'not_found', ...OWNER },
  },
  'GET /api/v1/cases/{caseUid}/document': {
    path: (names) => `/api/v1/cases/${names.case}/document?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/document': {
    path: (names) => `/api/v1/cases/${names.case}/document`,
    body: () => ({
      profile_uid: TRIO,
      profile_version: '1.1',
      digest: `sha256:${'ab'.repeat(32)}`,
      heads: [],
      reason: 'r',
    }),
    other: 'not_found',
    roles: { owner: 'conflict', member: 'conflict' },
  },
  'GET /api/v1/cases': {
    path: (names) => `/api/v1/cases?project_id=${names.project}`,
    other: 'ok',
  },
  'POST /api/v1/cases': {
    path: '/api/v1/cases',
    body: (names) => ({ project_id: names.project, case_uid: names.case, title: 'Renamed' }),
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}': {
    path: (names) => `/api/v1/cases/${uid(names.case)}`,
    other: 'not_found',
  },
  'POST /api/v1/projects/{projectId}/state': {
    path: (names) => `/api/v1/projects/${names.project}/state`,
    body: () => ({ state: 'active' }),
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/state': {
    path: (names) => `/api/v1/cases/${names.case}/state`,
    body: () => ({ state: 'active' }),
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/duplicates': {
    path: (names) => `/api/v1/cases/${names.case}/duplicates`,
    // Of a name that is taken, so that the calls of all roles are alike.
    body: (names) => ({ case_uid: names.case, copy: 'fields' }),
    other: 'not_found',
    roles: { owner: 'conflict', member: 'conflict' },
  },
  'POST /api/v1/cases/{caseUid}/carry-forward': {
    path: (names) => `/api/v1/cases/${names.case}/carry-forward`,
    // To a version that there is not, so that the calls of all roles are alike.
    body: (names) => ({ profile_uid: names.profile, from_version: '1.0', to_version: '9.9' }),
    other: 'not_found',
    roles: { owner: 'not_found', member: 'not_found' },
  },
  'POST /api/v1/cases/{caseUid}/items/state': {
    path: (names) => `/api/v1/cases/${names.case}/items/state`,
    body: () => ({ item_uids: [CELL.item], state: 'active' }),
    other: 'not_found',
  },
  'POST /api/v1/runs/{runUid}/state': {
    path: (names) => `/api/v1/runs/${names.run}/state`,
    body: () => ({ state: 'shown' }),
    other: 'not_found',
  },
  'POST /api/v1/profiles/{profileUid}/state': {
    path: (names) => `/api/v1/profiles/${names.profile}/state`,
    body: () => ({ state: 'active' }),
    other: 'not_found',
  },
  'GET /api/v1/deleted-cases': {
    path: (names) => `/api/v1/deleted-cases?project_id=${names.project}`,
    other: 'ok',
  },
  'GET /api/v1/activity': {
    path: '/api/v1/activity?since=2026-01-01T00:00:00.000Z',
    other: 'ok',
  },
  'GET /api/v1/search': {
    path: (names) => `/api/v1/search?q=${uid(names.case)}`,
    other: 'ok',
  },
  'GET /api/v1/contested': {
    path: (names) => `/api/v1/contested?project_id=${names.project}`,
    other: 'ok',
  },
  'GET /api/v1/cases/{caseUid}/evidence': {
    path: (names) => `/api/v1/cases/${names.case}/evidence?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/cells': {
    path: (names) => `/api/v1/cases/${names.case}/cells?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/items/{itemUid}': {
    path: (names) => `/api/v1/cases/${names.case}/items/${CELL.item}?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/items/{itemUid}/outcomes/{ruleUid}': {
    path: (names) =>
      `/api/v1/cases/${names.case}/items/${CELL.item}/outcomes/${CELL.rule}?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/evidence': {
    path: (names) => `/api/v1/cases/${names.case}/evidence`,
    body: () => ({ profile_uid: TRIO, outcomes: [{ item_uid: CELL.item, ...SEEN }] }),
    other: 'not_found',
  },
  'POST /api/v1/evidence': {
    path: '/api/v1/evidence',
    body: (names) => ({
      case_uid: names.case,
      profile_uid: TRIO,
      items: [{ item_uid: CELL.item, evidence: [SEEN] }],
    }),
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/reverts': {
    path: (names) => `/api/v1/cases/${names.case}/reverts`,
    body: () => ({ changes: [`c1_${'A'.repeat(43)}`], reason: 'r' }),
    other: 'not_found',
    roles: { owner: 'validation_failed', member: 'validation_failed' },
  },
  'GET /api/v1/cases/{caseUid}/suggestions': {
    path: (names) => `/api/v1/cases/${names.case}/suggestions?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/to-judge': {
    path: (names) => `/api/v1/cases/${names.case}/to-judge?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/suggestions': {
    path: (names) => `/api/v1/cases/${names.case}/suggestions`,
    body: () => ({
      profile_uid: TRIO,
      suggestions: [{ item_uid: CELL.item, rule_uid: CELL.rule, raw_outcome: 'TRUE' }],
    }),
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/suggestions/decisions': {
    path: (names) => `/api/v1/cases/${names.case}/suggestions/decisions`,
    body: () => ({
      profile_uid: TRIO,
      decisions: [{ suggestion_id: `c1_${'A'.repeat(43)}#0`, verdict: 'accept' }],
    }),
    other: 'not_found',
    roles: { owner: 'validation_failed', member: 'validation_failed' },
  },
  'GET /api/v1/cases/{caseUid}/sign-off': {
    path: (names) => `/api/v1/cases/${names.case}/sign-off`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/stage': {
    path: (names) => `/api/v1/cases/${names.case}/stage`,
    body: () => ({ stage: 'amended', reason: 'r' }),
    other: 'not_found',
    roles: { owner: 'conflict', member: 'conflict' },
  },
  'POST /api/v1/cases/{caseUid}/policy': {
    path: (names) => `/api/v1/cases/${names.case}/policy`,
    body: () => ({ requires_source: true }),
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/events': {
    path: (names) => `/api/v1/cases/${names.case}/events`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/history': {
    path: (names) =>
      `/api/v1/cases/${names.case}/history?profile_uid=${TRIO}&item_uid=${CELL.item}&rule_uid=${CELL.rule}`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/contested': {
    path: (names) => `/api/v1/cases/${names.case}/contested?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/contested-fields': {
    path: (names) => `/api/v1/cases/${names.case}/contested-fields`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/contested-fields': {
    path: (names) => `/api/v1/cases/${names.case}/contested-fields`,
    body: () => ({ field: 'title', heads: ['one', 'two'], take: 'one', reason: 'r' }),
    other: 'not_found',
    roles: { owner: 'conflict', member: 'conflict' },
  },
  'POST /api/v1/cases/{caseUid}/writers': {
    path: (names) => `/api/v1/cases/${names.case}/writers`,
    body: () => ({ entries: ['one'] }),
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/rounds': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/rounds`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/rounds': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/rounds`,
    body: () => ({ title: 'Round', recorders: RECORDERS, profile_uid: TRIO }),
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/rounds/{roundId}': {
    path: (names) => roundPath(names),
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/rounds/{roundId}/evidence': {
    path: (names) => roundPath(names, '/evidence'),
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/rounds/{roundId}/evidence': {
    path: (names) => roundPath(names, '/evidence'),
    body: () => ({
      outcomes: [{ item_uid: CELL.item, rule_uid: CELL.rule, raw_outcome: 'TRUE' }],
    }),
    other: 'not_found',
    roles: NO_RECORDER,
  },
  'POST /api/v1/cases/{caseUid}/rounds/{roundId}/done': {
    path: (names) => roundPath(names, '/done'),
    body: () => ({}),
    other: 'not_found',
    roles: NO_RECORDER,
  },
  'GET /api/v1/cases/{caseUid}/rounds/{roundId}/layer': {
    path: (names) => roundPath(names, '/layer'),
    other: 'not_found',
    roles: { ...NO_RECORDER, viewer: 'author_not_allowed' },
    reader: 'author_not_allowed',
  },
  'POST /api/v1/cases/{caseUid}/rounds/{roundId}/layer': {
    path: (names) => roundPath(names, '/layer'),
    body: (names) => ({
      format: 'evidence-studio layer 1',
      case_uid: names.case,
      round_id: names.round,
      recorder: RECORDERS[0],
      done: { id: 'c1_', change: '{}' },
      changes: [],
    }),
    other: 'not_found',
    roles: NO_RECORDER,
  },
  'POST /api/v1/cases/{caseUid}/rounds/{roundId}/release': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/rounds/${names.released}/release`,
    body: () => ({ reason: 'r' }),
    other: 'not_found',
    roles: OWNER,
  },
  'POST /api/v1/cases/{caseUid}/rounds/{roundId}/removals': {
    path: (names) => roundPath(names, '/removals'),
    body: () => ({ recorder: RECORDERS[0], reason: 'r' }),
    other: 'not_found',
    roles: OWNER,
  },
  'GET /api/v1/cases/{caseUid}/rounds/{roundId}/agreement': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/rounds/${names.released}/agreement`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/rounds/{roundId}/ratings': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/rounds/${names.released}/ratings`,
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/threads': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/threads`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/threads': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/threads`,
    body: () => ({ place: { on: 'item', item_uid: CELL.item }, kind: 'query', text: 'Why?' }),
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/threads/{threadId}': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/threads/${names.thread}`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/threads/{threadId}/entries': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/threads/${names.thread}/entries`,
    body: () => ({ does: 'comment', text: 'Seen.' }),
    other: 'not_found',
  },
  'GET /api/v1/cases/{caseUid}/assignments': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/assignments`,
    other: 'not_found',
  },
  'POST /api/v1/cases/{caseUid}/assignments': {
    path: (names) => `/api/v1/cases/${uid(names.case)}/assignments`,
    body: () => ({ places: [{ on: 'item', item_uid: CELL.item }], to: RECORDERS[0] }),
    other: 'not_found',
  },
  'GET /api/v1/waiting': { path: '/api/v1/waiting', other: 'ok' },
  'GET /api/v1/runs': { path: (names) => `/api/v1/runs?case_uid=${names.case}`, other: 'ok' },
  'POST /api/v1/runs': {
    path: '/api/v1/runs',
    body: (names) => ({ case_uid: names.case, profile_uid: TRIO }),
    other: 'not_found',
  },
  'GET /api/v1/runs/{runUid}': { path: (names) => `/api/v1/runs/${names.run}`, other: 'not_found' },
  'GET /api/v1/runs/{runUid}/compare/{otherUid}': {
    path: (names) => `/api/v1/runs/${names.run}/compare/${names.run}`,
    other: 'not_found',
  },
  'GET /api/v1/runs/{runUid}/signatures': {
    path: (names) => `/api/v1/runs/${names.run}/signatures`,
    other: 'not_found',
  },
  'POST /api/v1/runs/{runUid}/signatures': {
    path: (names) => `/api/v1/runs/${names.run}/signatures`,
    body: () => ({
      content_hash: `sha256:${'0'.repeat(64)}`,
      meaning: 'review',
      password: 'wrong',
    }),
    other: 'not_found',
    roles: { owner: 'not_found', member: 'not_found' },
  },
  'GET /api/v1/runs/{runUid}/proof': {
    path: (names) => `/api/v1/runs/${names.run}/proof?item_uid=${CELL.item}`,
    other: 'not_found',
  },
  'GET /api/v1/subscriptions': { path: '/api/v1/subscriptions', other: 'ok' },
  'POST /api/v1/subscriptions': {
    path: '/api/v1/subscriptions',
    body: () => ({ way: 'mail', events: ['mentioned'] }),
    other: 'conflict',
    roles: { owner: 'conflict', member: 'conflict', viewer: 'conflict' },
  },
  'DELETE /api/v1/subscriptions/{subscriptionId}': {
    path: '/api/v1/subscriptions/sub_none',
    other: 'not_found',
    roles: { owner: 'not_found', member: 'not_found', viewer: 'not_found' },
  },
  'GET /api/v1/runs/{runUid}/bundle': {
    path: (names) => `/api/v1/runs/${names.run}/bundle`,
    other: 'not_found',
  },
  'GET /api/v1/runs/{runUid}/recorders': {
    path: (names) => `/api/v1/runs/${names.run}/recorders`,
    other: 'not_found',
  },
  'GET /api/v1/usage': {
    path: '/api/v1/usage',
    other: 'ok',
    differs: 'it counts the requests before it',
  },
  'GET /api/v1/session': { path: '/api/v1/session', other: 'ok' },
  'GET /api/v1/session/copy-key': {
    path: `/api/v1/session/copy-key?browser=${'a'.repeat(32)}`,
    other: 'ok',
  },
  'POST /api/v1/keys': {
    path: '/api/v1/keys',
    body: () => ({ name: 'made', scopes: ['read'] }),
    other: 'ok',
    roles: { viewer: 'ok' },
    differs: 'every key is another',
  },
  'POST /api/v1/studio-keys': {
    path: '/api/v1/studio-keys',
    body: () => ({ name: 'made' }),
    other: 'ok',
    roles: { viewer: 'ok' },
    differs: 'every key is another',
  },
  'POST /api/v1/keys/{keyId}/studio': {
    path: (names) => `/api/v1/keys/${names.key}/studio`,
    body: () => ({}),
    fresh: async (world) => ({ key: (await world.key(world.member)).key_id }),
    other: 'not_found',
    roles: { viewer: 'not_found' },
  },
  'POST /api/v1/keys/{keyId}/limits': {
    path: (names) => `/api/v1/keys/${names.key}/limits`,
    body: () => ({ open_suggestions: 5 }),
    fresh: async (world) => ({
      key: (await world.key(world.member, { scopes: ['suggest'] })).key_id,
    }),
    other: 'not_found',
    roles: { viewer: 'not_found' },
  },
  'DELETE /api/v1/keys/{keyId}': {
    path: (names) => `/api/v1/keys/${names.key}`,
    fresh: async (world) => ({ key: (await world.key(world.member)).key_id }),
    other: 'not_found',
    roles: { viewer: 'not_found' },
  },
  'POST /api/v1/sample': {
    path: '/api/v1/sample',
    body: () => ({}),
    other: 'ok',
    differs: 'the second call finds what the first has made',
  },
  'GET /api/v1/agent-setup': { path: '/api/v1/agent-setup', other: 'ok' },
  'POST /api/v1/pairing': {
    path: '/api/v1/pairing',
    body: () => ({ name: 'agent' }),
    other: 'conflict',
    nobody: 'conflict',
  },
  'GET /api/v1/pairing': { path: '/api/v1/pairing', other: 'ok' },
  'POST /api/v1/pairing/{pairingId}/decision': {
    path: `/api/v1/pairing/pair_${'0'.repeat(22)}/decision`,
    body: () => ({ decision: 'refuse' }),
    other: 'not_found',
    roles: { owner: 'not_found', member: 'not_found', viewer: 'not_found' },
  },
  'POST /api/v1/pairing/{pairingId}/key': {
    path: `/api/v1/pairing/pair_${'0'.repeat(22)}/key`,
    body: () => ({ secret: '0'.repeat(43) }),
    other: 'conflict',
    nobody: 'conflict',
  },
  'GET /api/v1/audit': {
    path: '/api/v1/audit',
    other: 'ok',
    differs: 'what this person does is in it',
    roles: { member: 'insufficient_scope', viewer: 'insufficient_scope' },
  },
  'GET /api/v1/audit/export': {
    path: '/api/v1/audit/export',
    other: 'ok',
    differs: 'what this person does is in it',
    roles: { member: 'insufficient_scope', viewer: 'insufficient_scope' },
  },
  'GET /api/v1/cases/{caseUid}/audit': {
    path: (names) => `/api/v1/cases/${names.case}/audit`,
    other: 'not_found',
  },
  'PUT /api/v1/session': {
    path: '/api/v1/session',
    body: (names) => ({ account_id: names.account }),
    other: 'not_found',
    roles: { viewer: 'ok' },
  },
  'POST /api/v1/session/confirm': {
    path: '/api/v1/session/confirm',
    body: () => ({ password: 'none of them has one' }),
    other: 'ok',
    roles: { viewer: 'ok' },
  },
  'GET /api/v1/members': { path: '/api/v1/members', other: 'ok' },
  'PUT /api/v1/members/{userId}': {
    path: (names) => `/api/v1/members/${names.user}`,
    body: () => ({ role: 'viewer' }),
    fresh: async (world) => ({ user: await world.newcomer() }),
    other: 'not_found',
    roles: OWNER,
  },
  'DELETE /api/v1/members/{userId}': {
    path: (names) => `/api/v1/members/${names.user}`,
    fresh: async (world) => ({ user: await world.newcomer() }),
    other: 'not_found',
    roles: OWNER,
  },
  'POST /api/v1/invitations': {
    path: '/api/v1/invitations',
    body: () => ({ role: 'member' }),
    other: 'ok',
    differs: 'every invitation is another',
    roles: OWNER,
  },
  'DELETE /api/v1/invitations/{invitationId}': {
    path: (names) => `/api/v1/invitations/${names.invitation}`,
    fresh: async (world) => ({ invitation: await world.invitation() }),
    other: 'not_found',
    roles: OWNER,
  },
  'GET /api/v1/sessions': {
    path: '/api/v1/sessions',
    other: 'ok',
    differs: 'the test’s own browsers are in it',
  },
  'DELETE /api/v1/sessions/{sessionId}': {
    path: (names) => `/api/v1/sessions/${names.session}`,
    fresh: async (world) => ({ session: (await world.session(world.owner)).session_id }),
    other: 'not_found',
    roles: { member: 'not_found', viewer: 'not_found' },
  },
  'DELETE /api/v1/sessions': {
    path: '/api/v1/sessions',
    other: 'ok',
    differs: 'the second call finds none to end',
    roles: { viewer: 'ok' },
  },
  'DELETE /api/v1/session/tried-passwords': {
    path: '/api/v1/session/tried-passwords',
    other: 'ok',
    roles: { viewer: 'ok' },
  },
  'PUT /api/v1/password': {
    path: '/api/v1/password',
    body: () => ({ current: 'none of them has one', next: 'another that none has' }),
    other: 'conflict',
    roles: { owner: 'conflict', member: 'conflict', viewer: 'conflict' },
  },
  'POST /api/v1/accounts': {
    path: '/api/v1/accounts',
    body: () => ({ name: 'Further team' }),
    other: 'ok',
    differs: 'every account is another',
    roles: { viewer: 'ok' },
  },
  'PUT /api/v1/account': {
    path: '/api/v1/account',
    body: () => ({ name: 'Renamed team' }),
    other: 'ok',
    roles: OWNER,
  },
  'GET /api/v1/sync/hello': {
    path: '/api/v1/sync/hello',
    other: 'ok',
    differs: 'it tells the time',
  },
  'GET /api/v1/sync/cases': { path: '/api/v1/sync/cases', other: 'ok' },
  'POST /api/v1/sync/cases/{caseUid}/push': {
    path: (names) => `/api/v1/sync/cases/${names.pushed}/push`,
    body: (_, world) => ({ protocol: 1, changes: [world.change] }),
    other: 'ok',
    differs: 'a change names its case, so that one for an absent case is refused',
  },
  'GET /api/v1/sync/cases/{caseUid}/changes': {
    path: (names) => `/api/v1/sync/cases/${names.case}/changes?after=0`,
    other: 'not_found',
  },
  'POST /api/v1/sync/cases/{caseUid}/missing': {
    path: (names) => `/api/v1/sync/cases/${names.case}/missing`,
    body: (_, world) => ({ ids: [world.change.id] }),
    other: 'ok',
  },
  'POST /api/v1/sync/cases/{caseUid}/ancestor': {
    path: (names) => `/api/v1/sync/cases/${names.case}/ancestor`,
    body: () => ({ points: [{ seq: 1, chain: 'f'.repeat(64) }] }),
    other: 'ok',
  },
  'POST /api/v1/sync/batch': {
    path: '/api/v1/sync/batch',
    body: (names, world) => ({
      parts: [
        { operation: 'changes', stream: names.case, query: { after: '0' } },
        { operation: 'missing', stream: names.case, body: { ids: [world.change.id] } },
        {
          operation: 'ancestor',
          stream: names.case,
          body: { points: [{ seq: 1, chain: 'f'.repeat(64) }] },
        },
      ],
    }),
    other: 'ok',
  },
  'GET /api/v1/sync/cases/{caseUid}/digest': {
    path: (names) => `/api/v1/sync/cases/${names.case}/digest`,
    other: 'not_found',
  },
  'GET /api/v1/sync/cases/{caseUid}/snapshot': {
    path: (names) => `/api/v1/sync/cases/${names.case}/snapshot?profile_uid=${TRIO}`,
    other: 'not_found',
  },
  'POST /api/v1/sync/blobs/missing': {
    path: '/api/v1/sync/blobs/missing',
    body: (names) => ({ names: [names.blob] }),
    other: 'ok',
  },
  'POST /api/v1/sync/runs/missing': {
    path: '/api/v1/sync/runs/missing',
    body: (names) => ({ content_hashes: [names.hash] }),
    other: 'ok',
  },
  'POST /api/v1/sync/blobs': {
    path: '/api/v1/sync/blobs',
    body: () => ({ blobs: [EMPTY_BLOB] }),
    other: 'ok',
    differs: 'the second call finds what the first has stored',
  },
  'GET /api/v1/sync/blobs': {
    path: (names) => `/api/v1/sync/blobs?names=${names.blob}`,
    other: 'ok',
  },
  'PUT /api/v1/sync/blobs/{sha256}': {
    path: `/api/v1/sync/blobs/${EMPTY_BLOB.sha256}`,
    body: () => ({ blob: EMPTY_BLOB.blob }),
    other: 'ok',
  },
  'GET /api/v1/sync/blobs/{sha256}': {
    path: (names) => `/api/v1/sync/blobs/${names.blob}`,
    other: 'not_found',
  },
  'PUT /api/v1/sync/runs/{contentHash}': {
    path: (names) => `/api/v1/sync/runs/${uid(names.hash)}`,
    body: (_, world) => ({ manifest: world.manifest, run: world.ticket }),
    other: 'missing_blobs',
    differs: 'the manifest has one hash',
  },
  'GET /api/v1/sync/runs/{contentHash}': {
    path: (names) => `/api/v1/sync/runs/${uid(names.hash)}`,
    other: 'not_found',
  },
  'GET /api/v1/uplink': { path: '/api/v1/uplink', other: 'ok' },
  'PUT /api/v1/uplink': {
    path: '/api/v1/uplink',
    body: () => ({ url: 'https://example.org', key: 'x' }),
    ...NO_UPLINK,
  },
  'DELETE /api/v1/uplink': { path: '/api/v1/uplink', ...NO_UPLINK },
  'PUT /api/v1/uplink/projects/{projectId}': {
    path: (names) => `/api/v1/uplink/projects/${names.project}`,
    body: () => ({ shared: true }),
    ...NO_UPLINK,
  },
  'POST /api/v1/uplink/sync': { path: '/api/v1/uplink/sync', body: () => ({}), ...NO_UPLINK },
  'GET /api/v1/uplink/links': {
    path: '/api/v1/uplink/links',
    ...NO_UPLINK,
    roles: { ...NO_UPLINK.roles, viewer: 'conflict' },
  },
  'GET /api/v1/uplink/unsent': {
    path: '/api/v1/uplink/unsent',
    ...NO_UPLINK,
    roles: { ...NO_UPLINK.roles, viewer: 'conflict' },
  },
  'GET /api/v1/uplink/diagnostics': {
    path: '/api/v1/uplink/diagnostics',
    ...NO_UPLINK,
    roles: { ...NO_UPLINK.roles, viewer: 'conflict' },
  },
  'GET /api/v1/sync/events': { path: '/api/v1/sync/events', other: 'ok' },
  'GET /api/v1/openapi.json': { path: '/api/v1/openapi.json', other: 'ok' },

  'GET /': { path: '/', other: 307, nobody: 307 },
  'GET /.well-known/evidence-studio': {
    path: '/.well-known/evidence-studio',
    other: 200,
    nobody: 200,
  },
  'GET /healthz': { path: '/healthz', other: 200, nobody: 200 },
  'GET /readyz': { path: '/readyz', other: 200, nobody: 200 },
  'POST /mcp': {
    path: '/mcp',
    other: 'unsupported_media_type',
    nobody: 'unsupported_media_type',
  },
  'GET /docs': { path: '/docs', other: 200, nobody: 200 },
  'GET /docs/{group}': { path: '/docs/team', other: 200, nobody: 200 },
  'GET /docs/style.css': { path: '/docs/style.css', other: 200, nobody: 200 },
  'GET /sign-in': { path: '/sign-in', other: 200, nobody: 200 },
  'GET /setup': {
    path: '/setup',
    other: 200,
    nobody: 200,
    differs: 'every form has a proof of its own',
  },
  'POST /setup': {
    path: '/setup',
    other: 'unsupported_media_type',
    nobody: 'unsupported_media_type',
  },
  'GET /login': { path: '/login', other: 303, nobody: 303 },
  'POST /login': {
    path: '/login',
    other: 'unsupported_media_type',
    nobody: 'unsupported_media_type',
  },
  'GET /join': {
    path: '/join',
    other: 200,
    nobody: 200,
    differs: 'every form has a proof of its own',
  },
  'POST /join': {
    path: '/join',
    other: 'unsupported_media_type',
    nobody: 'unsupported_media_type',
  },
  'GET /join.js': { path: '/join.js', other: 200, nobody: 200 },
  'POST /sign-out': { path: '/sign-out', other: 303, nobody: 'missing_credentials' },
  'GET /studio/*': { path: (names) => `/studio/runs/${names.run}`, other: 404, nobody: 404 },
  'GET /assets/*': { path: '/assets/none.js', other: 'not_found', nobody: 'not_found' },
};
