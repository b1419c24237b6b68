import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { MatrixSession } from '../../../data/store/port.ts';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Skeleton } from '../../../ui/Skeleton.tsx';
import { Table } from '../../../ui/Table.tsx';
import { RuleDiff } from '../compare/RuleDiff.tsx';
import { profilePath } from '../versions.ts';
import {
  carryCells,
  countCells,
  gesturesFor,
  type CarryCounts,
  type RuleCount,
} from './carry-cells.ts';
import { planRules, type RulePlan } from './carry-plan.ts';
import './carry.css';

export interface Carried extends CarryCounts {
  partial: boolean;
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

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve);
  });
const NONE: RuleCount = { recorded: 0, open: 0 };
const addressOf = ({ profile }: MatrixSession): string =>
  `${profile.profileUid}@${profile.version}`;

/**
 * How much is recorded, counted anew with every change of either matrix but those of the copying
 * itself.
 */
function useCounts(
  source: MatrixSession,
  target: MatrixSession,
  copying: boolean,
): ReadonlyMap<string, RuleCount> | undefined {
  const [counts, setCounts] = useState<ReadonlyMap<string, RuleCount>>();
  useEffect(() => {
    if (copying) return undefined;
    const control = new AbortController();
    let asked = false;
    let busy = false;
    // A count that has begun is finished, so that continuous changes cannot delay it for ever.
    const count = async (): Promise<void> => {
      asked = true;
      if (busy) return;
      busy = true;
      while (asked && !control.signal.aborted) {
        asked = false;
        const found = await countCells(source, target, source.rules, {
          signal: control.signal,
          pause,
        });
        if (!control.signal.aborted) setCounts(found);
      }
      busy = false;
    };
    const ask = (): void => void count();
    ask();
    const stop = [source.subscribe(ask), target.subscribe(ask)];
    return () => {
      control.abort();
      for (const end of stop) end();
    };
  }, [source, target, copying]);
  return counts;
}

/**
 * What becomes of each rule's outcomes under the other version, and the act that copies those that
 * mean the same.
 */
export function CarryForward({ source, target, offersUse, onDone, onCancel }: CarryForwardProps) {
  const plan = useMemo(() => planRules(source.profile, target.profile), [source, target]);
  const [chosen, setChosen] = useState<boolean>();
  const use = chosen ?? offersUse;
  const [done, setDone] = useState<number | null>(null);
  const counts = useCounts(source, target, done !== null);
  const [failure, setFailure] = useState<string>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  if (counts === undefined) return <Skeleton label="Counting what is recorded…" lines={8} />;

  const of = (ruleUid: string): RuleCount => counts.get(ruleUid) ?? NONE;
  const sum = (rules: readonly { ruleUid: string }[], member: keyof RuleCount): number =>
    rules.reduce((total, rule) => total + of(rule.ruleUid)[member], 0);
  const open = sum(plan.copied, 'open');
  const taken = sum(plan.copied, 'recorded') - open;
  const gestures = gesturesFor(source.items.length, plan.copied.length);

  const carry = async (): Promise<void> => {
    const control = new AbortController();
    stop.current = control;
    setFailure(undefined);
    setDone(0);
    try {
      const result = await carryCells(
        source,
        target,
        plan.copied.map((rule) => rule.ruleUid),
        `Carry forward from ${source.profile.version}`,
        `Carried forward from ${addressOf(source)}`,
        {
          signal: control.signal,
          pause,
          onProgress: (rows, all) => setDone(all === 0 ? 1 : rows / all),
        },
      );
      if (control.signal.aborted && result.gestures === 0) setDone(null);
      else await onDone({ ...result, partial: control.signal.aborted, use, plan, counts });
    } catch (error) {
      setDone(null);
      setFailure(error instanceof Error ? error.message : 'There is no further information.');
    }
  };

  return (
    <>
      <p className="page-intro">
        Outcomes of rules whose text is the same mean the same, and are copied with their source
        values, notes and provenance. Nothing that is recorded under {target.profile.version}{' '}
        already is touched, and the matrix under {source.profile.version} stays as it is.
      </p>
      <Table
        caption="What becomes of the outcomes"
        head={
          <tr>
            <th scope="col">Text of the rule</th>
            <th scope="col" className="n">
              Rules
            </th>
            <th scope="col" className="n">
              Recorded cells
            </th>
            <th scope="col">What happens</th>
          </tr>
        }
      >
        <Row name="Unchanged" rules={plan.copied.length} cells={sum(plan.copied, 'recorded')}>
          {formatCount(open)} to copy
          {taken > 0 && (
            <>
              ; {formatCount(taken)} left, as their cells are recorded under{' '}
              {target.profile.version} already
            </>
          )}
        </Row>
        <Row name="Changed" rules={plan.review.length} cells={sum(plan.review, 'recorded')}>
          Not copied. Listed for review.
        </Row>
        <Row name="Gone" rules={plan.gone.length} cells={sum(plan.gone, 'recorded')}>
          Stay under {source.profile.version} alone.
        </Row>
        <Row name="New" rules={plan.added.length} cells={0}>
          Unrecorded so far.
        </Row>
      </Table>
      {failure !== undefined && (
        <Notice tone="danger" live title="Carrying forward stopped">
          <p>{failure}</p>
          <p>What was copied before can be undone in the matrix.</p>
        </Notice>
      )}
      {done === null ? (
        <div className="section">
          {offersUse && (
            <CheckField
              label={`Use version ${target.profile.version} for this case from now on`}
              hint="Agents and new windows then open this version unless they name another."
              checked={use}
              onChecked={setChosen}
            />
          )}
          {gestures > 1 && (
            <p className="muted small">
              This takes {formatCount(gestures)} steps, each of which can be undone.
            </p>
          )}
          <div className="actions">
            <Button variant="primary" onClick={() => void carry()}>
              {open === 0
                ? `Open version ${target.profile.version}`
                : `Carry ${plural(open, 'outcome')} forward`}
            </Button>
            <Button onClick={onCancel}>Cancel</Button>
          </div>
        </div>
      ) : (
        <div className="carry-progress">
          <progress aria-label="Carrying forward" max={1} value={done} />
          <span role="status" className="small">
            {Math.round(done * 100)} % of the rows
          </span>
          <Button size="sm" onClick={() => stop.current?.abort()}>
            Stop
          </Button>
        </div>
      )}
      {plan.review.length > 0 && (
        <Section
          title="Changed rules"
          note="Their outcomes are not copied: what they meant is not what they mean now."
        >
          <div className="pc-rules">
            {plan.review.map((rule) => (
              <div key={rule.ruleUid} className="carry-rule">
                <RuleDiff rule={rule} />
                <p className="muted small">
                  {plural(of(rule.ruleUid).recorded, 'recorded cell')} under{' '}
                  {source.profile.version}
                </p>
              </div>
            ))}
          </div>
        </Section>
      )}
      <div className="two-columns">
        <Names
          title="Gone"
          rules={plan.gone.map((rule) => ({
            uid: rule.ruleUid,
            name: rule.before.name,
            note: plural(of(rule.ruleUid).recorded, 'recorded cell'),
          }))}
        />
        <Names
          title="New"
          rules={plan.added.map((rule) => ({ uid: rule.ruleUid, name: rule.after.name, note: '' }))}
        />
      </div>
      <p className="small">
        <Link
          to={`${profilePath(source.profile.profileUid)}/compare?from=${source.profile.version}&to=${target.profile.version}`}
        >
          Compare the two versions rule by rule
        </Link>
      </p>
    </>
  );
}

function Row({
  name,
  rules,
  cells,
  children,
}: {
  name: string;
  rules: number;
  cells: number;
  children: React.ReactNode;
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="n">{formatCount(rules)}</td>
      <td className="n">{formatCount(cells)}</td>
      <td>{rules === 0 ? <span className="muted">none</span> : children}</td>
    </tr>
  );
}

function Names({
  title,
  rules,
}: {
  title: string;
  rules: readonly { uid: string; name: string; note: string }[];
}) {
  if (rules.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="plain-list">
        {rules.map((rule) => (
          <li key={rule.uid}>
            {rule.name} <code className="small">{rule.uid}</code>{' '}
            <span className="muted small">{rule.note}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
