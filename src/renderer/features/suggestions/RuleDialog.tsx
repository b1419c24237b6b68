import { useState } from 'react';
import {
  type DecisionRule,
  type DecisionsReceipt,
  decideSuggestions,
  type SuggestionFilter,
} from '../../../shared/contract/v1/suggestions.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import { describeFailure, type ShownFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Select } from '../../ui/Select.tsx';
import { t } from '../../text/t.ts';
import { ANY, OUTCOME_OPTIONS, ruleOptions, type SourceOption, sourceOptions } from './choices.ts';
import type { Matrix } from './use-suggestions.ts';

interface RuleDialogProps {
  matrix: Matrix;
  rules: readonly ProfileRule[];
  sources: readonly SourceOption[];
  onDecide: (rule: DecisionRule) => Promise<void>;
  onClose: () => void;
}

interface Choices {
  verdict: DecisionRule['verdict'];
  source: string;
  rule: string;
  outcome: string;
  confidence: string;
  reason: string;
}
const FIRST: Choices = {
  verdict: 'accept',
  source: ANY,
  rule: ANY,
  outcome: ANY,
  confidence: '',
  reason: '',
};

const VERDICTS = [
  { value: 'accept', label: t('Accept') },
  { value: 'refuse', label: t('Refuse') },
] as const;

/** A share as people write it: "0.9", "0,9". NaN where it is none. */
const shareOf = (text: string): number => Number(text.trim().replace(',', '.') || 'x');

function filterOf({ source, rule, outcome, confidence }: Choices): SuggestionFilter {
  return {
    ...(source !== ANY && { source }),
    ...(rule !== ANY && { rule_uid: rule }),
    ...(outcome !== ANY && { raw_outcome: outcome as SuggestionFilter['raw_outcome'] }),
    ...(confidence.trim() !== '' && { min_confidence: shareOf(confidence) }),
  } as SuggestionFilter;
}

/** The rule as it is chosen, and what a preview said of it. */
function useRule({ matrix, onDecide, onClose }: RuleDialogProps) {
  const { call } = useServices();
  const [choices, setChoices] = useState(FIRST);
  const [previewed, setPreviewed] = useState<{ of: string; receipt: DecisionsReceipt }>();
  const [failure, setFailure] = useState<ShownFailure>();
  const [busy, setBusy] = useState(false);
  const why = choices.reason.trim();
  const rule: DecisionRule = {
    verdict: choices.verdict,
    filter: filterOf(choices),
    ...(why !== '' && { reason: why }),
  };
  // A preview is of the choices that it was made for, whatever its reason.
  const asked = JSON.stringify({ ...choices, reason: '' });
  const preview = previewed?.of === asked ? previewed.receipt : undefined;
  const meant =
    preview?.decisions
      .filter(({ status }) => status === 'previewed')
      .map(({ suggestion_id }) => suggestion_id) ?? [];
  const during = async (act: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await act();
    } catch (error) {
      setFailure(describeFailure(error));
    } finally {
      setBusy(false);
    }
  };
  const body = {
    profile_uid: matrix.uid,
    profile_version: matrix.version,
    // A refusal that is only looked at has no reason yet.
    rule: { ...rule, reason: rule.reason ?? t('Preview') },
    preview: true,
  };
  return {
    choices,
    isPreviewed: preview !== undefined,
    count: meant.length,
    failure,
    busy,
    // A reason is of the choices that it was given for, too.
    change: (next: Partial<Choices>): void => setChoices({ ...choices, reason: '', ...next }),
    look: (): Promise<void> =>
      during(async () =>
        setPreviewed({
          of: asked,
          receipt: await call(decideSuggestions, { params: { caseUid: matrix.caseUid }, body }),
        }),
      ),
    apply: (): Promise<void> =>
      during(async () => {
        await onDecide({ ...rule, suggestion_ids: meant });
        onClose();
      }),
  };
}
type Rule = ReturnType<typeof useRule>;

const isShare = (text: string): boolean =>
  text.trim() === '' || (shareOf(text) >= 0 && shareOf(text) <= 1);

/** Many decided by one rule: how many it means is seen before it is done. */
export function RuleDialog(props: RuleDialogProps) {
  const rule = useRule(props);
  const { choices, count, busy } = rule;
  const { verdict } = choices;
  const lacksReason = verdict === 'refuse' && choices.reason.trim() === '';
  return (
    <Dialog
      wide
      onClose={props.onClose}
      focus="dialog"
      title={t('Decide many by a rule')}
      description={t('Stale suggestions are left: they are decided one by one.')}
      footer={
        <>
          <Button onClick={props.onClose}>{t('Cancel')}</Button>
          {rule.isPreviewed ? (
            <Button
              variant="primary"
              busy={busy}
              disabled={count === 0 || lacksReason}
              onClick={() => void rule.apply()}
            >
              {verdict === 'accept'
                ? t('Accept {count, number}', { count })
                : t('Refuse {count, number}', { count })}
            </Button>
          ) : (
            <Button
              variant="primary"
              busy={busy}
              disabled={!isShare(choices.confidence)}
              onClick={() => void rule.look()}
            >
              {t('Preview')}
            </Button>
          )}
        </>
      }
    >
      <div className="form">
        <RuleFields rule={rule} rules={props.rules} sources={props.sources} />
        {rule.isPreviewed && (
          <Notice live>
            <p>
              {verdict === 'accept'
                ? t(
                    '{count, plural, =0 {No suggestion is} one {# suggestion is} other {# suggestions are}} accepted by this rule.',
                    { count },
                  )
                : t(
                    '{count, plural, =0 {No suggestion is} one {# suggestion is} other {# suggestions are}} refused by this rule.',
                    { count },
                  )}
            </p>
          </Notice>
        )}
        {rule.failure !== undefined && <FailureNotice failure={rule.failure} />}
      </div>
    </Dialog>
  );
}

function RuleFields({
  rule: { choices, change },
  rules,
  sources,
}: { rule: Rule } & Pick<RuleDialogProps, 'rules' | 'sources'>) {
  return (
    <>
      <Select
        label={t('Decision')}
        options={VERDICTS}
        value={choices.verdict}
        onValue={(verdict) => change({ verdict })}
      />
      <Select
        label={t('Suggested by')}
        options={sourceOptions(sources)}
        value={choices.source}
        onValue={(source) => change({ source })}
      />
      <Select
        label={t('Rule')}
        options={ruleOptions(rules)}
        value={choices.rule}
        onValue={(rule) => change({ rule })}
      />
      <Select
        label={t('Outcome')}
        options={OUTCOME_OPTIONS}
        value={choices.outcome}
        onValue={(outcome) => change({ outcome })}
      />
      <TextField
        name="confidence"
        label={t('Confidence of at least')}
        hint={t('From 0 to 1; leaves out those that state none.')}
        optional
        inputMode="decimal"
        value={choices.confidence}
        onValue={(confidence) => change({ confidence })}
        error={isShare(choices.confidence) ? undefined : t('Must be a number from 0 to 1.')}
      />
      <TextField
        name="reason"
        label={t('Reason')}
        optional={choices.verdict === 'accept'}
        required={choices.verdict === 'refuse'}
        hint={t('Kept in the history of each cell.')}
        value={choices.reason}
        onValue={(reason) => change({ reason })}
        autoComplete="off"
      />
    </>
  );
}
