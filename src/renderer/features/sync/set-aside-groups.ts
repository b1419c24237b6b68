import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { UnsentChange } from '../../data/store/unsent.ts';
import { t } from '../../text/t.ts';

/** Changes of one case and person that stay for one reason. */
export interface SetAsideGroup {
  key: string;
  case_uid: CaseUid;
  owner: string;
  state: UnsentChange['state'];
  reason: string;
  ids: string[];
  /** Rejected, and whoever is signed in may send it once more, if their role lets them. */
  maySendAgain: boolean;
}

function reasonOf({ state, reason }: UnsentChange, isMine: boolean): string {
  if (state === 'damaged') return reason ?? t('The server rejected it.');
  return isMine
    ? t('Not sent: you may not write there, or are signed out.')
    : t('Never sent under another name. It is sent when this user signs in here again.');
}

export function groupsOf(
  changes: readonly UnsentChange[],
  me: string | undefined,
): SetAsideGroup[] {
  const groups = new Map<string, SetAsideGroup>();
  for (const change of changes) {
    const { id, case_uid, user, userName, state, reason } = change;
    const key = JSON.stringify([case_uid, user, state, reason]);
    const isMine = user === me;
    const group = groups.get(key) ?? {
      key,
      case_uid,
      owner: isMine ? t('you') : (userName ?? t('another user')),
      state,
      reason: reasonOf(change, isMine),
      ids: [],
      maySendAgain: state === 'damaged' && isMine,
    };
    group.ids.push(id);
    groups.set(key, group);
  }
  return [...groups.values()];
}
