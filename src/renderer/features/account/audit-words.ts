import type { AuditAction, AuditEvent } from '../../../shared/contract/v1/audit.ts';
import { t, tAs } from '../../text/t.ts';

export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'setup.done': t('Set the server up'),
  'sign_in.link_created': t('Made a sign-in link'),
  'sign_in.done': t('Signed in'),
  'sign_in.failed': t('Failed to sign in'),
  'sign_in.limited': t('Too many wrong passwords were tried'),
  'sign_in.confirmed': t('Gave the password again'),
  'sign_out.done': t('Signed out'),
  'session.ended': t('Ended a session'),
  'session.switched': t('Switched the account'),
  'password.changed': t('Changed the password'),
  'password.reset': t('Reset a password'),
  'user.created': t('Made a user'),
  'user.disabled': t("Ended a person's access to the server"),
  'user.enabled': t("Gave a person's access to the server back"),
  'account.created': t('Made the account'),
  'account.renamed': t('Renamed the account'),
  'invitation.created': t('Invited somebody'),
  'invitation.revoked': t('Withdrew an invitation'),
  'member.joined': t('Joined'),
  'member.role_changed': t('Changed a role'),
  'member.removed': t('Removed a member'),
  'key.created': t('Created a key'),
  'key.secret_changed': t('Changed the secret that keys are made under'),
  'key.let_sync': t("Let a key act as a studio's"),
  'key.paused': t('Paused a key'),
  'key.resumed': t('Resumed a key'),
  'key.limited': t('Limited what a key may suggest'),
  'key.revoked': t('Revoked a key'),
  'key.refused': t('Refused a key'),
  'run.created': t('Froze a run'),
  'run.received': t('Received a run'),
  'project.renamed': t('Renamed a project'),
  'project.archived': t('Archived a project'),
  'project.unarchived': t('Brought a project back from the archive'),
  'project.deleted': t('Deleted a project'),
  'project.restored': t('Restored a project'),
  'case.renamed': t('Renamed a case'),
  'case.duplicated': t('Duplicated a case'),
  'case.archived': t('Archived a case'),
  'case.unarchived': t('Brought a case back from the archive'),
  'case.deleted': t('Deleted a case'),
  'case.restored': t('Restored a case'),
  'items.deleted': tAs('past', 'Removed items'),
  'items.restored': t('Restored items'),
  'run.hidden': t('Hid a run'),
  'run.shown': t('Showed a hidden run again'),
  'profile.retired': t('Retired a profile'),
  'profile.reinstated': t('Offered a retired profile again'),
  'case.policy_set': t('Said whether sources are required'),
  'evidence.carried': t('Carried outcomes forward'),
  'evidence.reverted': t('Reverted evidence'),
  'round.opened': t('Opened a round'),
  'round.done': t('Was done with a round'),
  'case.moved': t('Moved a case to another stage'),
  'run.signed': t('Signed a run'),
  'round.released': t('Released a round'),
  'round.recorder_removed': t('Removed a recorder from a round'),
  'profile.published': t('Published a profile to the community'),
  'profile.decided': t('Decided about a document of a profile'),
  'profile.settled': t('Resolved which document a case uses'),
  'case.exported': t('Saved the history of a case'),
  'run.exported': t('Saved a run as a bundle'),
  'subscription.created': t('Asked for notices'),
  'subscription.ended': t('Ended notices'),
  'audit.exported': t('Saved the audit trail'),
  'backup.created': t('Made a backup'),
  'backup.restored': t('Restored a backup'),
  'uplink.connected': t('Connected to a hosted server'),
  'uplink.disconnected': t('Disconnected from the hosted server'),
  'project.shared': t('Shared a project'),
  'project.unshared': t('Ended the sharing of a project'),
};

const KIND_WORDS: Readonly<Record<AuditEvent['by']['kind'], string>> = {
  human: '',
  agent: t('key'),
  operator: t('command line'),
  server: '',
};

export function actorWords({ kind, name }: AuditEvent['by']): string {
  return kind === 'server'
    ? t('this server')
    : KIND_WORDS[kind] === ''
      ? name
      : `${name} (${KIND_WORDS[kind]})`;
}

/** What it was done to, where that is not the person who did it. */
export const objectWords = ({ object, by }: AuditEvent): string =>
  object === null || object === by.user_id ? '–' : object;
