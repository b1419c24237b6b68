import { useEffect, useRef } from 'react';

import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Progress } from '../Progress.tsx';
import { ColumnsPart } from './ColumnsPart.tsx';
import { mappingProblems } from './mapping.ts';
import { MeetPart } from './MeetPart.tsx';
import { NewItemsPart } from './NewItemsPart.tsx';
import { ReadingPart } from './ReadingPart.tsx';
import { ResultPart } from './ResultPart.tsx';
import type { Wizard } from './wizard.ts';
import { headersNow, obstacles, undecided, type WizardState } from './wizard-state.ts';
import { MEANINGS } from './words.ts';
import { t } from '../../../text/t.ts';

/** Everything about one file at once: what it is read as, and what it would change. */
export function ReviewStep({ wizard, state }: { wizard: Wizard; state: WizardState }) {
  const { opened, read, headerRow, damage, mapping } = state;
  if (opened === null || read === null) return null;
  const problems = mappingProblems(mapping, headersNow(state));
  return (
    <div className="tr-review">
      <div className="tr-part">
        <ReadingPart {...{ wizard, opened, read, headerRow, damage }} />
        {problems.length > 0 && (
          <Notice tone="warning" live>
            <ul className="plain-list">
              {problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </Notice>
        )}
        <ColumnsPart
          {...{ wizard, read, headerRow, mapping }}
          reasons={state.reasons}
          remembered={state.remembered}
          columns={state.columns}
          chosen={state.chosen}
          polarities={state.polarities}
        />
      </div>
      <div className="tr-part">
        <Rest wizard={wizard} state={state} />
        <MeetPart
          wizard={wizard}
          meet={state.meet}
          keepsWords={state.keepsWords}
          emptyClears={state.emptyClears}
          columns={state.columns}
        />
        <Result wizard={wizard} state={state} />
      </div>
    </div>
  );
}

/** What is left to map, in all columns at once. */
function Rest({ wizard, state }: { wizard: Wizard; state: WizardState }) {
  const open = undecided(state).filter(({ value }) => value.half === undefined);
  if (open.length === 0) return null;
  const texts = [...new Set(open.map(({ value }) => value.word.text))];
  return (
    <Select
      label={t('All {values, number} values that say nothing by themselves', {
        values: open.length,
      })}
      hint={`${texts.slice(0, 8).join(', ')}${texts.length > 8 ? ' …' : ''}`}
      options={MEANINGS}
      value={null}
      onValue={(meaning) => void wizard.setRest(meaning)}
    />
  );
}

function Result({ wizard, state }: { wizard: Wizard; state: WizardState }) {
  const { comparing, plan, aliases, busy } = state;
  const last = useRef(plan);
  if (plan !== null) last.current = plan;
  // What was known stays in sight until the next is known.
  const shown = plan ?? (comparing === null ? null : last.current);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // A button that was pressed here is gone with what it was about.
    if (plan !== null && document.activeElement === document.body) heading.current?.focus();
  }, [plan]);
  return (
    <section aria-labelledby="tr-result">
      <h3 id="tr-result" ref={heading} tabIndex={-1}>
        {t('What the import would do')}
      </h3>
      {comparing !== null && (
        <Progress label={t('Comparing with the matrix…')} done={comparing.done} />
      )}
      {comparing === null && plan === null && busy === null && obstacles(state).length === 0 && (
        <Button size="sm" onClick={() => void wizard.setChoice({})}>
          {t('Compare with the matrix')}
        </Button>
      )}
      {shown !== null && (
        <div className="tr-result" aria-busy={plan === null}>
          <NewItemsPart wizard={wizard} plan={shown} aliases={aliases} />
          <ResultPart
            plan={shown}
            headers={headersNow(state)}
            meet={state.meet}
            asks={undecided(state).length > 0}
          />
        </div>
      )}
    </section>
  );
}
