import { pageAddress } from '../../shared/contract/page-addresses.ts';
import type { Round } from '../../shared/contract/v1/rounds.ts';
import { t } from '../text/t.ts';
import { ButtonLink } from './Button.tsx';
import { EmptyState } from './EmptyState.tsx';

/** In place of a matrix that the person records independently. */
export function HiddenMatrix({ round }: { round: Round }) {
  return (
    <EmptyState
      title={t('You record this matrix independently')}
      actions={
        <ButtonLink
          variant="primary"
          to={pageAddress('round', { caseUid: round.case_uid, roundId: round.round_id })}
        >
          {t('To your recording')}
        </ButtonLink>
      }
    >
      <p>
        {t('What others have recorded is hidden from you until "{title}" is released.', {
          title: round.title,
        })}
      </p>
    </EmptyState>
  );
}
