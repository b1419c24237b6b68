import type { CheckedSignature } from '../../../shared/contract/v1/sign-off.ts';
import type { CaseStage } from '../../../shared/domain/sign-off.ts';
import { sentByWords } from '../../state/sent-by.ts';
import { t, tAs } from '../../text/t.ts';

/** What a stage is called, what a case may do in it, and what moving there is called. */
export const STAGE_WORDS: Readonly<
  Record<CaseStage, { name: string; means: string; action: string }>
> = {
  in_progress: {
    name: t('In progress'),
    means: t('Evidence is recorded.'),
    action: t('Back to recording'),
  },
  in_review: {
    name: t('In review'),
    means: t('Recording has ended as far as its authors say; somebody else looks at it.'),
    action: t('Send to review'),
  },
  approved: {
    name: tAs('stage', 'Approved'),
    means: t('One run of it is approved. Nothing more is recorded; outcomes can be suggested.'),
    action: t('Approve'),
  },
  amended: {
    name: t('Amended'),
    means: t('It was approved and is worked on again. The approved run stays as it is.'),
    action: t('Open again'),
  },
};

/** A warning where the key is not known here: anybody can make a key and write any name. */
export function toneOf({ checks }: CheckedSignature): 'info' | 'warning' | 'danger' {
  if (checks.signature !== 'valid' || checks.content !== 'matches') return 'danger';
  return checks.key === 'this_server' ? 'info' : 'warning';
}

/** Who brought something here, and when; nothing where it was made here. */
export const cameWords = ({
  sent_by,
  received_at,
}: Pick<CheckedSignature, 'sent_by' | 'received_at'>): string | undefined =>
  sent_by === null ? undefined : sentByWords({ sent_by, received_at });
