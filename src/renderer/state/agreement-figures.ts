import type { ProfileRule } from '../../shared/domain/profile.ts';
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
  value === null ? t('undefined') : formatPercent(Number(value.toFixed(3)));

/** Headings of the columns of `agreementRows`. */
export const AGREEMENT_HEADS = [
  t('Cells'),
  t('Rated by two or more'),
  t('Agreement'),
  t('Gwet’s AC1'),
  t('95 % interval'),
  t('Krippendorff’s alpha'),
] as const;

/** Agreement over all cells, then of each rule in the order of these, as texts. */
export function agreementRows(
  { all, rules: byRule }: RoundFigures,
  rules: readonly Pick<ProfileRule, 'ruleUid' | 'name'>[],
): string[][] {
  const places = new Map<string, number>(rules.map(({ ruleUid }, place) => [ruleUid, place]));
  const placeOf = (uid: string): number => places.get(uid) ?? rules.length;
  return [
    { name: t('All cells'), of: all },
    ...byRule
      .toSorted((a, b) => placeOf(a.rule) - placeOf(b.rule))
      .map(({ rule, figures }) => ({ name: rules[placeOf(rule)]?.name ?? rule, of: figures })),
  ].map(({ name, of }) => [
    name,
    formatCount(of.units_with_two),
    share(of.percent),
    figure(of.ac1),
    interval(of.ac1_low, of.ac1_high),
    figure(of.alpha),
  ]);
}
