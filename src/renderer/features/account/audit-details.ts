import type { AuditDetailName, AuditValue } from '../../../shared/contract/audit-details.ts';
import type { AuditAction, AuditEvent } from '../../../shared/contract/v1/audit.ts';
import { formatCount, formatDateTime } from '../../state/format.ts';
import { MEANING_WORDS } from '../../state/signature-words.ts';
import { t, tAs } from '../../text/t.ts';
import { SCOPE_WORDS } from './key-words.ts';
import { ROLE_NAME } from './roles.ts';

/** Null for what programs read: hashes are in the saved trail. */
const NAMES: Readonly<Record<AuditDetailName, string | null>> = {
  address: tAs('address', 'from'),
  at: t('of'),
  by: t('by'),
  case_uid: t('case'),
  chain: null,
  changes: t('changes'),
  confirmed_by: t('confirmed by'),
  content_hash: null,
  copied: t('copied'),
  count: t('times'),
  decision: t('decision'),
  digest: t('document'),
  ended: t('ended'),
  events: t('events'),
  expires_at: t('ends on'),
  from_file: t('from a file'),
  format: t('format'),
  from: t('before'),
  from_version: t('from version'),
  hash: null,
  invitation: t('invitation'),
  invitations: t('invitations'),
  items: t('items'),
  key_id: t('key'),
  keys: t('keys'),
  meaning: t('meaning'),
  minute: t('in the minute'),
  name: t('name'),
  named: t('chosen'),
  of: t('work of'),
  open_suggestions: t('waiting suggestions at most'),
  outcomes: t('outcomes'),
  pairing: t('request'),
  profile_uid: t('profile'),
  projects: t('projects'),
  public_key: t('public key'),
  quorum: t('recorders needed'),
  reason: t('reason'),
  record: t('record meanwhile'),
  recorded_by: t('recorded by'),
  recorder: t('recorder'),
  recorders: t('recorders'),
  reproduced: t('result reproduced'),
  requires_source: t('source required'),
  reverted: t('reverted'),
  role: t('role'),
  round_id: t('round'),
  run_uid: t('run'),
  scopes: t('may'),
  seq: t('up to entry'),
  sessions: t('sessions'),
  set_aside: t('kept before it'),
  since: t('since'),
  stage: t('stage'),
  state: t('state'),
  store: t('server'),
  suggestions_a_day: t('suggestions a day at most'),
  team: t('team'),
  title: t('title'),
  to: t('after'),
  to_version: t('to version'),
  unsent: t('work not sent'),
  url: t('address'),
  user_id: t('person'),
  version: t('version'),
  way: t('way'),
};
const isNamed = (name: string): name is AuditDetailName => Object.hasOwn(NAMES, name);

type Words = Readonly<Record<string, string>>;
const REFUSALS: Words = {
  wrong_password: t('wrong password'),
  too_many_failures: t('too many wrong passwords'),
  others: t('further ones'),
  invalid_key: t('no valid key'),
  key_revoked: t('revoked'),
  key_expired: t('expired'),
  user_disabled: t('access ended'),
};
const WORDS: Partial<Record<AuditDetailName, Words>> = {
  by: {
    link: t('link'),
    password: t('password'),
    operator: t('command line'),
    'reset-password': t('command line'),
    'signing in again': t('signing in again'),
  },
  confirmed_by: {
    password: t('password'),
    computer_account: t('account of the computer'),
  },
  decision: { keep: t('kept'), hide: t('hidden'), take: t('taken as own'), other: t('another') },
  events: {
    mentioned: t('mentioned'),
    assigned: t('assigned'),
    answered: t('answered'),
    decisions: t('decisions'),
  },
  meaning: Object.fromEntries(Object.entries(MEANING_WORDS).map(([key, { name }]) => [key, name])),
  record: { hidden: t('hidden'), shown: t('shown') },
  role: ROLE_NAME,
  scopes: SCOPE_WORDS,
  stage: {
    in_progress: t('In progress'),
    in_review: t('In review'),
    approved: tAs('stage', 'Approved'),
    amended: t('Amended'),
  },
  state: { open: t('open'), released: t('released') },
  unsent: {
    mine: t('sent as own'),
    rename: t('sent under its names'),
    set_aside: t('set aside'),
  },
  way: { mail: t('by mail'), webhook: t('webhook') },
};
const REFUSING: ReadonlySet<AuditAction> = new Set([
  'sign_in.failed',
  'sign_in.limited',
  'key.refused',
]);
const TIME = /^\d{4}-\d\d-\d\dT/;

/** What people wrote stays as it is; words of the server are said in the reader's language. */
function wordsFor(name: AuditDetailName, action: AuditAction): Words {
  if (name === 'reason') return REFUSING.has(action) ? REFUSALS : {};
  if (name === 'from' || name === 'to') return action === 'member.role_changed' ? ROLE_NAME : {};
  return WORDS[name] ?? {};
}

function valueWords(value: AuditValue, words: Words): string {
  if (Array.isArray(value)) return value.map((one) => valueWords(one, words)).join(', ');
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'number') return formatCount(value);
  if (value === null) return t('none');
  if (Object.hasOwn(words, value)) return words[value] ?? value;
  return TIME.test(value) ? formatDateTime(value) : value;
}

/** What belongs to an event, as `name: value`. A newer server may say more than is known here. */
export function detailWords({ action, detail }: Pick<AuditEvent, 'action' | 'detail'>): string {
  return Object.entries(detail)
    .flatMap(([name, value]) => {
      if (!isNamed(name)) return [`${name.replaceAll('_', ' ')}: ${valueWords(value, {})}`];
      const said = NAMES[name];
      return said === null ? [] : [`${said}: ${valueWords(value, wordsFor(name, action))}`];
    })
    .join('; ');
}
