import { ListFilter } from 'lucide-react';
import { useState } from 'react';
import { formatCount } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Popover } from '../../../ui/Popover.tsx';
import { Select } from '../../../ui/Select.tsx';
import {
  asksFor,
  authorCounts,
  isActive,
  NO_FILTER,
  statesOf,
  TRAITS,
  typeCounts,
  withAuthor,
  withState,
  withTrait,
  withType,
  TRAIT_CLAUSES,
} from '../model/filter.ts';
import { FieldFacet } from './FieldFacet.tsx';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { whose } from '../model/history-text.ts';
import { STATE_KEYS, STATE_WORDS } from '../model/states.ts';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

/** Types offered by name; a case with more is narrowed by text. */
const TYPES = 30;
/** The same for who recorded. */
const AUTHORS = 30;

/** All parts of the filter: an item is shown when it passes every one. */
export function FilterPopover() {
  const { traits, types, rules, authors, fields } = useEditorState((state) => state.filter);
  const parts =
    traits.length +
    (types.length > 0 ? 1 : 0) +
    rules.length +
    (authors.length > 0 ? 1 : 0) +
    fields.length;
  return (
    <Popover label={t('Filter')} icon={<ListFilter size={14} aria-hidden="true" />} count={parts}>
      <Facets />
    </Popover>
  );
}

function Facets() {
  const editor = useEditor();
  useRevision();
  const filter = useEditorState((state) => state.filter);
  const counts = typeCounts(editor.session);
  return (
    <div className="mx-pop mx-facets">
      <fieldset>
        <legend>{t('Items that')}</legend>
        {TRAITS.map((trait) => (
          <Tick
            key={trait}
            checked={filter.traits.includes(trait)}
            onChange={() => editor.setFilter(withTrait(filter, trait))}
          >
            {TRAIT_CLAUSES[trait]}
          </Tick>
        ))}
      </fieldset>
      {counts.length > 1 && (
        <fieldset>
          <legend>{t('Type, any of')}</legend>
          {counts.slice(0, TYPES).map(([type, count]) => (
            <Tick
              key={type}
              checked={filter.types.includes(type)}
              onChange={() => editor.setFilter(withType(filter, type))}
            >
              {type} <span className="muted">{formatCount(count)}</span>
            </Tick>
          ))}
        </fieldset>
      )}
      <FieldFacet />
      <AuthorFacet />
      <RuleFacet />
      <Button size="sm" disabled={!isActive(filter)} onClick={() => editor.setFilter(NO_FILTER)}>
        {t('Clear filters')}
      </Button>
    </div>
  );
}

/**
 * People and programs that recorded an outcome here; those that the filter names stay, so that they
 * can be taken off.
 */
function AuthorFacet() {
  const editor = useEditor();
  useRevision();
  const filter = useEditorState((state) => state.filter);
  const counts = authorCounts(editor.session);
  const gone = filter.authors.filter(
    (author) => !counts.some(([one]) => one.kind === author.kind && one.name === author.name),
  );
  const offered = [...counts.slice(0, AUTHORS), ...gone.map((author) => [author, 0] as const)];
  if (offered.length === 0) return null;
  return (
    <fieldset>
      <legend>{t('Recorded by, any of')}</legend>
      {offered.map(([author, count]) => (
        <Tick
          key={`${author.kind} ${author.name}`}
          checked={asksFor(filter, author)}
          onChange={() => editor.setFilter(withAuthor(filter, author))}
        >
          {whose(author)} <span className="muted">{formatCount(count)}</span>
        </Tick>
      ))}
    </fieldset>
  );
}

/** The rule chosen here is the one of the focused cell at first. */
function RuleFacet() {
  const editor = useEditor();
  const { profile, rules } = editor.session;
  const filter = useEditorState((state) => state.filter);
  const [rule, setRule] = useState(
    () =>
      [filter.rules[0]?.rule, editor.store.getState().selection?.focus.rule].find(
        (named) => named !== undefined && rules.includes(named),
      ) ??
      rules[0] ??
      '',
  );
  const states = statesOf(filter, rule);
  return (
    <fieldset>
      <legend>{t('Outcome of a rule, any of')}</legend>
      <Select
        label={t('Rule')}
        options={profile.rules
          .toSorted((a, b) => a.ruleOrder - b.ruleOrder)
          .map(({ ruleUid, name }) => ({ value: ruleUid, label: name }))}
        value={rule}
        onValue={setRule}
      />
      {STATE_KEYS.map((state) => (
        <Tick
          key={state}
          checked={states.includes(state)}
          onChange={() => editor.setFilter(withState(filter, rule, state))}
        >
          <Mark state={state} /> {STATE_WORDS[state].full}
        </Tick>
      ))}
    </fieldset>
  );
}

function Tick({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: () => void;
  children: React.ReactNode;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={onChange} />
      <span className="mx-tick">{children}</span>
    </label>
  );
}
