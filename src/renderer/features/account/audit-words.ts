import type { AuditAction, AuditEvent } from '../../../shared/contract/v1/audit.ts';
import { formatDateTime } from '../../state/format.ts';

export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'setup.done': 'Set the server up',
  'sign_in.link_created': 'Made a sign-in link',
  'sign_in.done': 'Signed in',
  'sign_in.failed': 'Failed to sign in',
  'sign_in.limited': 'Too many wrong passwords were tried',
  'sign_in.confirmed': 'Gave the password again',
  'sign_out.done': 'Signed out',
  'session.ended': 'Ended a session',
  'session.switched': 'Switched the account',
  'password.changed': 'Changed the password',
  'password.reset': 'Reset a password',
  'user.created': 'Made a user',
  'user.disabled': "Ended a person's access to the server",
  'user.enabled': "Gave a person's access to the server back",
  'account.created': 'Made the account',
  'account.renamed': 'Renamed the account',
  'invitation.created': 'Invited somebody',
  'invitation.revoked': 'Withdrew an invitation',
  'member.joined': 'Joined',
  'member.role_changed': 'Changed a role',
  'member.removed': 'Removed a member',
  'key.created': 'Created a key',
  'key.secret_changed': 'Changed the secret that keys are made under',
  'key.let_sync': "Let a key act as a studio's",
  'key.revoked': 'Revoked a key',
  'key.refused': 'Refused a key',
  'run.created': 'Froze a run',
  'run.received': 'Received a run',
  'project.renamed': 'Renamed a project',
  'project.archived': 'Archived a project',
  'project.unarchived': 'Brought a project back from the archive',
  'project.deleted': 'Deleted a project',
  'project.restored': 'Restored a project',
  'case.renamed': 'Renamed a case',
  'case.duplicated': 'Duplicated a case',
  'case.archived': 'Archived a case',
  'case.unarchived': 'Brought a case back from the archive',
  'case.deleted': 'Deleted a case',
  'case.restored': 'Restored a case',
  'items.deleted': 'Removed items',
  'items.restored': 'Restored items',
  'run.hidden': 'Hid a run',
  'run.shown': 'Showed a hidden run again',
  'profile.retired': 'Retired a profile',
  'profile.reinstated': 'Offered a retired profile again',
  'evidence.reverted': 'Reverted evidence',
  'profile.published': 'Published a profile to the community',
  'profile.decided': 'Decided about a document of a profile',
  'profile.settled': 'Resolved which document a case uses',
  'case.exported': 'Saved the history of a case',
  'audit.exported': 'Saved the audit trail',
  'backup.created': 'Made a backup',
  'backup.restored': 'Restored a backup',
  'uplink.connected': 'Connected to a hosted server',
  'uplink.disconnected': 'Disconnected from the hosted server',
  'project.shared': 'Shared a project',
  'project.unshared': 'Ended the sharing of a project',
};

const KIND_WORDS: Readonly<Record<AuditEvent['by']['kind'], string>> = {
  human: '',
  agent: 'key',
  operator: 'command line',
  server: '',
};

export function actorWords({ kind, name }: AuditEvent['by']): string {
  return kind === 'server'
    ? 'this server'
    : KIND_WORDS[kind] === ''
      ? name
      : `${name} (${KIND_WORDS[kind]})`;
}

/** For programs: hashes are in the saved trail. */
const UNSHOWN: ReadonlySet<string> = new Set(['hash', 'chain', 'content_hash']);
const TIME = /^\d{4}-\d\d-\d\dT/;

function valueWords(value: AuditEvent['detail'][string]): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'string' && TIME.test(value)) return formatDateTime(value);
  return value === null ? 'none' : String(value);
}

/** What belongs to an event, as `name: value`. */
export function detailWords({ detail }: AuditEvent): string {
  return Object.entries(detail)
    .filter(([name]) => !UNSHOWN.has(name))
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${valueWords(value)}`)
    .join('; ');
}

/** What it was done to, where that is not the person who did it. */
export const objectWords = ({ object, by }: AuditEvent): string =>
  object === null || object === by.user_id ? '–' : object;
