import { useEffect, useRef, useState } from 'react';
import type { MatrixSession } from '../../../data/store/port.ts';
import { carryCells, type CarryCounts, pause } from './carry-cells.ts';
import type { RulePlan } from '../../../../shared/domain/carry-plan.ts';
import { t } from '../../../text/t.ts';

const addressOf = ({ profile }: MatrixSession): string =>
  `${profile.profileUid}@${profile.version}`;

export type CarryResult = CarryCounts & { partial: boolean };

/** The page has been left: what was copied stays, and nothing else is done. */
const LEFT = 'left';

/** Copies the outcomes once asked to: how far it is, how it failed, and how to stop it. */
export function useCarry(
  { source, target, plan }: { source: MatrixSession; target: MatrixSession; plan: RulePlan },
  onDone: (result: CarryResult) => Promise<void>,
) {
  /** The share of the rows; null while nothing is copied. */
  const [done, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState<string>();
  const control = useRef<AbortController>(undefined);
  useEffect(
    () => () => {
      control.current?.abort(LEFT);
    },
    [],
  );
  const carry = async (): Promise<void> => {
    const own = new AbortController();
    control.current = own;
    setFailure(undefined);
    setDone(0);
    try {
      const result = await carryCells(
        source,
        target,
        plan.copied.map((rule) => rule.ruleUid),
        t('Carry forward from {version}', { version: source.profile.version }),
        // Recorded with each change, in English as the record is.
        `Carried forward from ${addressOf(source)}`,
        {
          signal: own.signal,
          pause,
          onProgress: (rows, all) => setDone(all === 0 ? 1 : rows / all),
        },
      );
      if (own.signal.reason === LEFT) return;
      if (own.signal.aborted && result.gestures === 0) setDone(null);
      else await onDone({ ...result, partial: own.signal.aborted });
    } catch (error) {
      setDone(null);
      setFailure(error instanceof Error ? error.message : t('There is no further information.'));
    }
  };
  return { done, failure, carry: () => void carry(), stop: () => control.current?.abort() };
}
