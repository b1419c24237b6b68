import type { Role } from '../../shared/contract/v1/account.ts';
import type { RecordedBy } from '../../shared/contract/v1/evidence.ts';
import { t } from '../text/t.ts';

/** A role within a sentence. */
export const ROLE_WORD: Readonly<Record<Role, string>> = {
  owner: t('owner'),
  member: t('member'),
  viewer: t('viewer'),
};

/** What recorded something, after its name. */
export const KIND_WORD = {
  human: t('human'),
  agent: t('agent'),
  import: t('import'),
} as const satisfies Record<RecordedBy['kind'], string>;
