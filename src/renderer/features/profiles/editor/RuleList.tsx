import { ClipboardPaste, Plus } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Section } from '../../../ui/Page.tsx';
import {
  addRule,
  appendRules,
  duplicateRule,
  moveRule,
  nextKey,
  removeRule,
  restoreRule,
  type Change,
} from './change-draft.ts';
import type { DraftRule, ProfileDraft } from './draft.ts';
import type { Problem } from './draft-problems.ts';
import { PasteRulesDialog } from './PasteRulesDialog.tsx';
import { RuleEntry, type RuleActs } from './RuleEntry.tsx';

interface RuleListProps {
  draft: ProfileDraft;
  change: (change: Change) => void;
  errorOf: (field: string) => string | undefined;
  problems: readonly Problem[];
  open: string | null;
  onOpen: (key: string | null) => void;
}

const nameOf = (rule: DraftRule, place: number): string =>
  rule.name === '' ? `Rule ${place + 1}` : rule.name;

export function RuleList({ draft, change, errorOf, problems, open, onOpen }: RuleListProps) {
  const { rules } = draft;
  const list = useRef<HTMLOListElement>(null);
  const [said, setSaid] = useState('');
  const [removed, setRemoved] = useState<{ rule: DraftRule; at: number }>();
  const [pasting, setPasting] = useState(false);
  const [dragged, setDragged] = useState<string | null>(null);
  /** The control that gets the focus once the list is drawn again: moving a rule takes it away. */
  const [wanted, setWanted] = useState<{ key: string; control: string } | null>(null);

  useEffect(() => {
    if (wanted === null) return;
    const control = list.current?.querySelector<HTMLButtonElement>(
      `[data-rule="${wanted.key}"] [data-control="${wanted.control}"]`,
    );
    (control?.disabled === true
      ? control.closest('li')?.querySelector<HTMLElement>('[data-control="open"]')
      : control
    )?.focus();
    setWanted(null);
  }, [wanted]);

  const place = (key: string): number => rules.findIndex((rule) => rule.key === key);
  const move = (key: string, to: number, control: string): void => {
    if (to < 0 || to >= rules.length || to === place(key)) return;
    change(moveRule(key, to));
    setWanted({ key, control });
    setSaid(`${nameOf(rules[place(key)]!, place(key))} is now rule ${to + 1} of ${rules.length}`);
  };
  const remove = (key: string): void => {
    const at = place(key);
    const rule = rules[at]!;
    change(removeRule(key));
    setRemoved({ rule, at });
    const neighbour = rules[at + 1] ?? rules[at - 1];
    if (neighbour !== undefined) setWanted({ key: neighbour.key, control: 'open' });
  };
  const add = (): void => {
    const key = nextKey(draft);
    change(addRule);
    onOpen(key);
    setWanted({ key, control: 'name' });
  };
  const duplicate = (key: string): void => {
    const copy = nextKey(draft);
    change(duplicateRule(key));
    onOpen(copy);
    setWanted({ key: copy, control: 'open' });
  };
  const now: RuleActs = {
    toggle: (key) => onOpen(open === key ? null : key),
    move: (key, by, control) => move(key, place(key) + by, control),
    duplicate,
    remove,
    drag: setDragged,
    drop: (key) => {
      if (dragged !== null) move(dragged, place(key), 'open');
      setDragged(null);
    },
  };
  const latest = useRef(now);
  useEffect(() => {
    latest.current = now;
  });
  // One object for good, so that a key typed in one rule draws that rule alone.
  const acts = useMemo<RuleActs>(
    () => ({
      toggle: (key) => latest.current.toggle(key),
      move: (key, by, control) => latest.current.move(key, by, control),
      duplicate: (key) => latest.current.duplicate(key),
      remove: (key) => latest.current.remove(key),
      drag: (key) => latest.current.drag(key),
      drop: (key) => latest.current.drop(key),
    }),
    [],
  );
  const problemCounts = useMemo(() => Map.groupBy(problems, (problem) => problem.rule), [problems]);
  const listError = errorOf('rules');

  return (
    <Section
      title="Rules"
      note="Each rule is a failure check: FALSE says that evidence is present, TRUE that a problem was found. Alt and an arrow key move the rule that has the focus."
      actions={
        <>
          <Button
            size="sm"
            icon={<ClipboardPaste size={14} aria-hidden="true" />}
            onClick={() => setPasting(true)}
          >
            Paste rules…
          </Button>
          <Button size="sm" icon={<Plus size={14} aria-hidden="true" />} onClick={add}>
            Add rule
          </Button>
        </>
      }
    >
      <p className="visually-hidden" role="status">
        {said}
      </p>
      {removed !== undefined && (
        <Notice
          live
          title={`${nameOf(removed.rule, removed.at)} is removed`}
          actions={
            <>
              <Button
                size="sm"
                onClick={() => {
                  change(restoreRule(removed.rule, removed.at));
                  setWanted({ key: removed.rule.key, control: 'open' });
                  setRemoved(undefined);
                }}
              >
                Put back
              </Button>
              <Button size="sm" variant="ghost" onClick={() => setRemoved(undefined)}>
                Dismiss
              </Button>
            </>
          }
        />
      )}
      {rules.length === 0 && (
        <div className="empty" data-field="rules" tabIndex={-1}>
          <p className="muted">
            A profile holds at least one rule. Add one, or paste a table of rules.
          </p>
          {listError !== undefined && <p className="field-error">{listError}</p>}
        </div>
      )}
      <ol ref={list} className="pe-rules" aria-label={plural(rules.length, 'rule')}>
        {rules.map((rule, index) => (
          <RuleEntry
            key={rule.key}
            rule={rule}
            index={index}
            count={rules.length}
            open={open === rule.key}
            dragged={dragged === rule.key}
            dragging={dragged !== null}
            problems={problemCounts.get(rule.key)?.length ?? 0}
            acts={acts}
            change={change}
            errorOf={open === rule.key ? errorOf : undefined}
          />
        ))}
      </ol>
      {rules.length > 3 && (
        <div className="actions">
          <Button icon={<Plus size={14} aria-hidden="true" />} onClick={add}>
            Add rule
          </Button>
        </div>
      )}
      {pasting && (
        <PasteRulesDialog
          present={rules.length}
          onClose={() => setPasting(false)}
          onAdd={(values) => {
            change(appendRules(values));
            setPasting(false);
            setSaid(`${plural(values.length, 'rule')} added`);
          }}
        />
      )}
    </Section>
  );
}
