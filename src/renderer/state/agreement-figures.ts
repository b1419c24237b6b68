import type { RoundFigures } from '../../shared/domain/round.ts';
import { t } from '../text/t.ts';
import { formatCount, formatPercent, formatShare } from './format.ts';

/** What is undefined is said to be so. */
export const figure = (value: number | null): string =>
  value === null ? t('undefined') : formatShare(value, 3);

export const interval = (low: number | null, high: number | null): string =>
  low === null || high === null
    ? t('undefined')
    : t('{low} to {high}', { low: formatShare(low, 3), high: formatShare(high, 3) });

export const share = (value: number | null): string =>
  value === null ? t('undefined') : formatPercent(value);

/** Headings of the columns of `agreementRows`. */
export const AGREEMENT_HEADS = [
  t('Cells'),
  t('Rated by two or more'),
  t('Agreement'),
  t('Gwet’s AC1'),
  t('95 % interval'),
  t('Krippendorff’s alpha'),
] as const;

/** Agreement over all cells, then of each rule, as texts. */
export const agreementRows = (
  { all, rules }: RoundFigures,
  ruleName: (uid: string) => string,
): string[][] =>
  [
    { name: t('All cells'), of: all },
    ...rules.map((one) => ({ name: ruleName(one.rule), of: one.figures })),
  ].map(({ name, of }) => [
    name,
    formatCount(of.units_with_two),
    share(of.percent),
    figure(of.ac1),
    interval(of.ac1_low, of.ac1_high),
    figure(of.alpha),
  ]);
