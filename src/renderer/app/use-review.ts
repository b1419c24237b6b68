import type { CaseUid } from '../../shared/contract/ids.ts';
import { pageAddress } from '../../shared/contract/page-addresses.ts';
import { useState } from 'react';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import {
  loadReview,
  saveReview,
  type CarryReview,
} from '../features/profiles/carry/review-store.ts';
import type { ReviewListProps } from '../features/matrix/ReviewList.tsx';
import { t } from '../text/t.ts';

function summaryOf(
  { copied, kept, contested, partial, notTold }: CarryReview,
  version: string,
): string {
  const parts = [t('{copied, plural, one {# outcome} other {# outcomes}} copied', { copied })];
  if (kept > 0) parts.push(t('{kept, number} skipped, recorded here already', { kept }));
  if (contested > 0)
    parts.push(
      t('{contested, plural, one {# conflict} other {# conflicts}} not copied', { contested }),
    );
  const sentences = [`${parts.join(', ')}.`];
  if (partial) sentences.push(t('It was stopped before the last row.'));
  if (notTold !== null)
    sentences.push(
      t('The case still names its previous version: {reason}', { reason: notTold }),
      t('Carry forward again to name {version}.', { version }),
    );
  return sentences.join(' ');
}

/** What is still to be looked at in this matrix after outcomes were carried into it. */
export function useReview(
  caseUid: CaseUid,
  { uid, version }: ProfileAddress,
): ReviewListProps | undefined {
  const address = { caseUid, uid, version };
  const [review, setReview] = useState(() => loadReview(address));
  if (review === undefined) return undefined;
  const keep = (next: CarryReview | undefined): void => {
    saveReview(address, next);
    setReview(next);
  };
  return {
    title: t('Carried forward from {from}', { from: review.from }),
    summary: summaryOf(review, version),
    rules: review.rules,
    compareTo: `${pageAddress('compareVersions', { profileUid: uid })}?from=${review.from}&to=${version}&show=differences`,
    onDone: (rule, done) =>
      keep({
        ...review,
        rules: review.rules.map((entry) => (entry.rule === rule ? { ...entry, done } : entry)),
      }),
    onDismiss: () => keep(undefined),
  };
}
