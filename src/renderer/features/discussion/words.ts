import type { Participant, Thread, ThreadLine } from '../../../shared/contract/v1/discussion.ts';
import { t } from '../../text/t.ts';

/** Thread, entry and place in words. */

export const nameOf = ({ name, id }: Participant): string => name ?? id;

export const stateWords = ({ kind, state }: Pick<Thread, 'kind' | 'state'>): string => {
  if (kind === 'comment') return state === 'closed' ? t('Comment, closed') : t('Comment');
  switch (state) {
    case 'open':
      return t('Query, open');
    case 'answered':
      return t('Query, answered');
    case 'closed':
      return t('Query, closed');
  }
};

/** What a thread is about, by label; an identifier where that is all there is. */
export function placeWords({
  place,
  item_label,
  rule_name,
}: Pick<Thread, 'place' | 'item_label' | 'rule_name'>): string {
  const item = place.on === 'rule' ? '' : (item_label ?? place.item_uid);
  const rule = place.on === 'item' ? '' : (rule_name ?? place.rule_uid);
  switch (place.on) {
    case 'cell':
      return t('{item}, {rule}', { item, rule });
    case 'item':
      return t('Item {item}', { item });
    case 'rule':
      return t('Rule {rule}', { rule });
  }
}

export function lineWords({ does, by, assigned_to }: ThreadLine): string {
  const name = nameOf(by);
  switch (does) {
    case 'open':
      return assigned_to === null
        ? t('{name} began', { name })
        : t('{name} asked {to}', { name, to: nameOf(assigned_to) });
    case 'comment':
      return t('{name} commented', { name });
    case 'answer':
      return t('{name} answered', { name });
    case 'close':
      return t('{name} closed it', { name });
    case 'reopen':
      return t('{name} opened it again', { name });
    case 'assign':
      return assigned_to === null
        ? t('{name} assigned it to nobody', { name })
        : t('{name} assigned it to {to}', { name, to: nameOf(assigned_to) });
  }
}

export const waitsWords = (why: Thread['waits_for'][number]['why']): string => {
  switch (why) {
    case 'assigned':
      return t('You are asked');
    case 'answered':
      return t('Your query is answered');
    case 'mentioned':
      return t('You are mentioned');
  }
};
