import { useMemo } from 'react';
import type { Contest, MatrixSession } from '../../../data/store/port.ts';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { stateKey } from '../model/states.ts';
import type { Decision } from '../conflicts/decide.ts';
import { valueText, whatDiffers, whereOf } from '../conflicts/words.ts';
import { LongList } from './LongList.tsx';
import { t, tAs } from '../../../text/t.ts';

interface ReviewRowsProps {
  session: MatrixSession;
  list: readonly Contest[];
  at: string | null;
  /** What a rule decides, by register; absent while registers are resolved one by one. */
  plan: ReadonlyMap<string, Decision> | undefined;
  onGo: (reg: string) => void;
  onStep: (backwards: boolean) => void;
  listRef: React.RefObject<HTMLDivElement | null>;
}

/** All registers to resolve. */
export function ReviewRows({ session, list, plan, ...rest }: ReviewRowsProps) {
  const keys = useMemo(() => list.map(({ reg }) => reg), [list]);
  return (
    <LongList
      label={t('Conflicts')}
      keys={keys}
      row={(index) => {
        const contest = list[index];
        return (
          contest !== undefined && (
            <Row
              session={session}
              contest={contest}
              decision={plan?.get(contest.reg)}
              isPlan={plan !== undefined}
            />
          )
        );
      }}
      {...rest}
    />
  );
}

function Row({
  session,
  contest,
  decision,
  isPlan,
}: {
  session: MatrixSession;
  contest: Contest;
  decision: Decision | undefined;
  isPlan: boolean;
}) {
  const { item, label, rule } = whereOf(session, contest);
  const heads = decision?.heads ?? session.headsOf(contest.reg);
  const isOutcome = contest.field === 'outcome';
  const taken = decision?.taken ?? null;
  return (
    <>
      <span className="mx-contests-where">
        <strong>{label === '' ? item : label}</strong>
        {label !== '' && <span className="muted"> {item}</span>}
      </span>
      <span className="mx-contests-what">{rule ?? t('Item')}</span>
      <span className="mx-contests-says">
        {isOutcome
          ? heads.map((head) => (
              <span key={head.entry} className="mx-contests-mark">
                <Mark state={stateKey(head.raw_outcome)} />
                <span className="visually-hidden">{valueText(head)},</span>
              </span>
            ))
          : contest.kind !== 'removed' && (
              <span>{t('{count, number} values', { count: heads.length })}</span>
            )}
        {isPlan && (
          <span className="mx-contests-taken">
            <span aria-hidden="true">→</span>
            {taken === null ? (
              <span>{tAs('undecided', 'left')}</span>
            ) : isOutcome ? (
              <>
                <span className="visually-hidden">
                  {t('becomes {value}', { value: valueText(taken) })}
                </span>
                <Mark state={stateKey(taken.raw_outcome)} />
              </>
            ) : (
              <span>{valueText(taken)}</span>
            )}
          </span>
        )}
        <span className="mx-contests-kind">{whatDiffers(contest)}</span>
      </span>
    </>
  );
}
