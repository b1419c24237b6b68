import type { FrozenRound } from '../../../shared/domain/round.ts';
import { figure, interval, share } from '../../state/agreement-figures.ts';
import { t } from '../../text/t.ts';

/** How far those agree who recorded the cells independently, as the run froze it. */
export function agreementSentence({ recorders, figures: { all } }: FrozenRound): string {
  const counted = recorders.filter(({ fit }) => fit === 'fits').length;
  const who = t(
    '{counted, number} of {all, plural, one {# recorder} other {# recorders}} recorded independently of each other and are counted.',
    { counted, all: recorders.length },
  );
  if (all.units_with_two === 0)
    return `${who} ${t('No cell was recorded by two of them, so there is no agreement to state.')}`;
  return `${who} ${t(
    'They agree on {percent} of {cells, plural, one {# cell} other {# cells}} that at least two recorded: Gwet’s AC1 {ac1} (95 % interval {interval}), Krippendorff’s alpha {alpha}. Agreement does not show that they are right.',
    {
      percent: share(all.percent),
      cells: all.units_with_two,
      ac1: figure(all.ac1),
      interval: interval(all.ac1_low, all.ac1_high),
      alpha: figure(all.alpha),
    },
  )}`;
}

/** How the cells of the record came of what was recorded independently. */
export function settledSentence({ settled }: FrozenRound): string {
  if (settled.length === 0) return t('Nothing of these recordings is in the matrix.');
  const agreed = settled.filter(({ kind }) => kind === 'agreed').length;
  return t(
    'Of these recordings, {agreed, plural, one {# cell} other {# cells}} went into the matrix as the recorders agreed, {adjudicated, plural, one {# cell} other {# cells}} as a person decided between them.',
    { agreed, adjudicated: settled.length - agreed },
  );
}
