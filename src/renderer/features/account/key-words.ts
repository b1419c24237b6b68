import type { ApiKey } from '../../../shared/contract/v1/account.ts';
import { t } from '../../text/t.ts';

export const SCOPE_WORDS: Readonly<Record<ApiKey['scopes'][number], string>> = {
  read: t('read'),
  suggest: t('suggest'),
  write: t('write'),
  delete: t('remove'),
  sync: t('connect a studio'),
};

/** What a key may do, and where, if that is not everywhere. */
export function mayWords({ scopes, projects }: Pick<ApiKey, 'scopes' | 'projects'>): string {
  const what = scopes.map((scope) => SCOPE_WORDS[scope]).join(', ');
  return projects === null
    ? what
    : t('{what} in {count, plural, =1 {one project} other {# projects}}', {
        what,
        count: projects.length,
      });
}

export const EXPIRY = [
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In one year') },
  { value: 'never', label: t('Never') },
] as const;
export type Expiry = (typeof EXPIRY)[number]['value'];

/** For `expires_days`. */
export const daysOf = (expiry: Expiry): number | null =>
  expiry === 'never' ? null : Number(expiry);
