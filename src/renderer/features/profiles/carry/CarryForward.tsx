import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { MatrixSession } from '../../../data/store/port.ts';

import { Button } from '../../../ui/Button.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import { profilePath } from '../versions.ts';
import { gesturesFor, type RuleCount } from './carry-cells.ts';
import { planRules, type RulePlan } from '../../../../shared/domain/carry-plan.ts';
import { CarryTable, ChangedRules, OtherRules, sumOf } from './CarryRules.tsx';
import { type CarryResult, useCarry } from './use-carry.ts';
import { useCounts } from './use-counts.ts';
import './carry.css';
import { t } from '../../../text/t.ts';

export interface Carried extends CarryResult {
  /** The case is to name the new version from now on. */
  use: boolean;
  plan: RulePlan;
  counts: ReadonlyMap<string, RuleCount>;
}

interface CarryForwardProps {
  source: MatrixSession;
  target: MatrixSession;
  /** The case names another version so far. */
  offersUse: boolean;
  onDone: (carried: Carried) => Promise<void>;
  onCancel: () => void;
}

/**
 * What becomes of each rule's outcomes under the other version, and the act that copies those that
 * mean the same.
 */
export function CarryForward({ source, target, offersUse, onDone, onCancel }: CarryForwardProps) {
  const plan = useMemo(() => planRules(source.profile, target.profile), [source, target]);
  const [chosen, setChosen] = useState<boolean>();
  const use = chosen ?? offersUse;
  const { done, failure, carry, stop } = useCarry({ source, target, plan }, async (result) => {
    if (counts !== undefined) await onDone({ ...result, use, plan, counts });
  });
  const counts = useCounts(source, target, done !== null);
  if (counts === undefined) return <Skeleton label={t('Counting what is recorded…')} lines={8} />;
  const [from, to] = [source.profile.version, target.profile.version];
  return (
    <>
      <p className="page-intro">
        {t(
          'Outcomes of rules whose text is the same mean the same, and are copied with their reported values, notes and provenance. Nothing that is recorded under {to} already is touched, and the matrix under {from} stays as it is.',
          { to, from },
        )}
      </p>
      <CarryTable plan={plan} counts={counts} source={source} target={target} />
      {failure !== undefined && (
        <Notice tone="danger" live title={t('Carrying forward stopped')}>
          <p>{failure}</p>
          <p>{t('What was copied before can be undone in the matrix.')}</p>
        </Notice>
      )}
      {done === null ? (
        <div className="section">
          {offersUse && (
            <CheckField
              label={t('Use version {to} for this case from now on', { to })}
              hint={t('Agents and new windows then open this version unless they name another.')}
              checked={use}
              onChecked={setChosen}
            />
          )}
          <Steps count={gesturesFor(source.items.length, plan.copied.length)} />
          <div className="actions">
            <Button variant="primary" onClick={carry}>
              {actionName(sumOf(counts, plan.copied, 'open'), to)}
            </Button>
            <Button onClick={onCancel}>{t('Cancel')}</Button>
          </div>
        </div>
      ) : (
        <CarryProgress done={done} onStop={stop} />
      )}
      <ChangedRules plan={plan} counts={counts} source={source} />
      <OtherRules plan={plan} counts={counts} />
      <p className="small">
        <Link to={`${profilePath(source.profile.profileUid)}/compare?from=${from}&to=${to}`}>
          {t('Compare the two versions rule by rule')}
        </Link>
      </p>
    </>
  );
}

const actionName = (open: number, version: string): string =>
  open === 0
    ? t('Open version {version}', { version })
    : t('Carry {open, plural, one {# outcome} other {# outcomes}} forward', { open });

function Steps({ count }: { count: number }) {
  if (count <= 1) return null;
  return (
    <p className="muted small">
      {t('This takes {count, number} steps, each of which can be undone.', { count })}
    </p>
  );
}

function CarryProgress({ done, onStop }: { done: number; onStop: () => void }) {
  return (
    <div className="carry-progress">
      <progress aria-label={t('Carrying forward')} max={1} value={done} />
      <span role="status" className="small">
        {t('{percent} % of the rows', { percent: Math.round(done * 100) })}
      </span>
      <Button size="sm" onClick={onStop}>
        {t('Stop')}
      </Button>
    </div>
  );
}
