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
import { formatCount, plural } from '../state/format.ts';

function summaryOf(
  { copied, kept, contested, partial, notTold }: CarryReview,
  version: string,
): string {
  const parts = [`${plural(copied, 'outcome')} copied`];
  if (kept > 0) parts.push(`${formatCount(kept)} skipped, recorded here already`);
  if (contested > 0) parts.push(`${plural(contested, 'conflict')} not copied`);
  const sentences = [`${parts.join(', ')}.`];
  if (partial) sentences.push('It was stopped before the last row.');
  if (notTold !== null)
    sentences.push(
      `The case still names its previous version: ${notTold} ` +
        `Carry forward again to name ${version}.`,
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
    title: `Carried forward from ${review.from}`,
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
