import { CASE } from './cast.ts';
import type { Fact, Oracle, Seen } from './oracle.ts';

const key = ({ hlc, id, index }: Fact): string => `${hlc} ${id} ${String(index).padStart(5, '0')}`;
const stageIn = ({ value }: Fact): unknown => (value as Record<string, unknown>)['stage'];

/** Z1, by the definition alone. */
export function trueStage(oracle: Oracle, seen: Seen): unknown {
  const moves = [...oracle.byName.values()].filter(
    (fact) => fact.stream === CASE && fact.reg === 'stage/case' && oracle.applies(seen, fact),
  );
  let stage: unknown = 'in_progress';
  for (const fact of moves.sort((a, b) => (key(a) < key(b) ? -1 : 1)))
    if (stage !== 'approved' || stageIn(fact) === 'amended') stage = stageIn(fact);
  return stage;
}
