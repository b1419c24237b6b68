import type { Unlike } from '../../../../shared/domain/run-diff.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { t } from '../../../text/t.ts';

const computedBy = ({ engine }: RunRecord): string => `${engine.name} ${engine.version}`;

/** Why the scores of two runs are not of one kind, in a sentence each. */
export function unlikeWords(unlike: Unlike, from: RunRecord, to: RunRecord): string {
  switch (unlike) {
    case 'cases':
      return t('They are runs of two cases.');
    case 'profiles':
      return t('They use two profiles.');
    case 'versions':
      return t(
        'They use two versions of the profile, {earlier} and {later}: rules are compared by their ID; those whose text changed are marked.',
        { earlier: from.profile_version, later: to.profile_version },
      );
    case 'settings':
      return t(
        'They use other priors or another credible level: scores differ also where no cell does.',
      );
    case 'engines':
      return t('They were computed by {earlier} and {later}.', {
        earlier: computedBy(from),
        later: computedBy(to),
      });
  }
}
