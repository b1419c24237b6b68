import { ClipboardPaste, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Section } from '../../../ui/Page.tsx';
import { appendRules, type DraftChange } from './change-draft.ts';
import type { ProfileDraft } from './draft.ts';
import type { Problem } from './draft-problems.ts';
import { PasteRulesDialog } from './PasteRulesDialog.tsx';
import { RuleEntry } from './RuleEntry.tsx';
import { type RemovedRule, ruleName, useRuleActs } from './use-rule-acts.ts';
import { t } from '../../../text/t.ts';

interface RuleListProps {
  draft: ProfileDraft;
  change: (change: DraftChange) => void;
  errorOf: (field: string) => string | undefined;
  problems: readonly Problem[];
  open: string | null;
  onOpen: (key: string | null) => void;
}

export function RuleList({ draft, change, errorOf, problems, open, onOpen }: RuleListProps) {
  const { rules } = draft;
  const { list, acts, add, restore, removed, forget, dragged, news, setNews } = useRuleActs({
    draft,
    change,
    open,
    onOpen,
  });
  const [pasting, setPasting] = useState(false);
  const problemCounts = useMemo(() => Map.groupBy(problems, (problem) => problem.rule), [problems]);
  return (
    <Section
      title={t('Rules')}
      note={t(
        'Each rule is a failure check: FALSE says that evidence is present, TRUE that a problem was found. Alt and an arrow key move the rule that has the focus.',
      )}
      actions={
        <>
          <Button
            size="sm"
            icon={<ClipboardPaste size={14} aria-hidden="true" />}
            onClick={() => setPasting(true)}
          >
            {t('Paste rules…')}
          </Button>
          <Button size="sm" icon={<Plus size={14} aria-hidden="true" />} onClick={add}>
            {t('Add rule')}
          </Button>
        </>
      }
    >
      <p className="visually-hidden" role="status">
        {news}
      </p>
      {removed !== undefined && (
        <Removed removed={removed} onRestore={restore} onDismiss={forget} />
      )}
      {rules.length === 0 && <NoRules error={errorOf('rules')} />}
      <ol
        ref={list}
        className="pe-rules"
        aria-label={t('{rules, plural, one {# rule} other {# rules}}', { rules: rules.length })}
      >
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
            {t('Add rule')}
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
            setNews(
              t('{rules, plural, one {# rule} other {# rules}} added', { rules: values.length }),
            );
          }}
        />
      )}
    </Section>
  );
}

function Removed({
  removed,
  onRestore,
  onDismiss,
}: {
  removed: RemovedRule;
  onRestore: (removed: RemovedRule) => void;
  onDismiss: () => void;
}) {
  return (
    <Notice
      live
      title={t('{rule} is removed', { rule: ruleName(removed.rule, removed.at) })}
      actions={
        <>
          <Button size="sm" onClick={() => onRestore(removed)}>
            {t('Put back')}
          </Button>
          <Button size="sm" variant="ghost" onClick={onDismiss}>
            {t('Dismiss')}
          </Button>
        </>
      }
    />
  );
}

function NoRules({ error }: { error: string | undefined }) {
  return (
    <div className="empty" data-field="rules" tabIndex={-1}>
      <p className="muted">
        {t('A profile holds at least one rule. Add one, or paste a table of rules.')}
      </p>
      {error !== undefined && <p className="field-error">{error}</p>}
    </div>
  );
}
