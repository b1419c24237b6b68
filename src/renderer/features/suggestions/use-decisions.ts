import { useState } from 'react';
import { revertChanges } from '../../../shared/contract/v1/reverts.ts';
import {
  decideSuggestions,
  type DecisionInput,
  type DecisionRule,
  type DecisionsReceipt,
} from '../../../shared/contract/v1/suggestions.ts';
import { describeFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { t } from '../../text/t.ts';
import { leftWords } from './words.ts';
import type { Matrix } from './use-suggestions.ts';

/** Recorded and read by everybody, so in English. */
const TAKEN_BACK = 'Decision taken back';

type Decided = { decisions: DecisionInput[] } | { rule: DecisionRule };

/** What a person decides on this page; each act is one step that can be taken back. */
export interface Decisions {
  busy: boolean;
  /** What was done last, in words. */
  news: string;
  canUndo: boolean;
  /** Rejects where the server refuses or cannot be reached. */
  decide: (what: Decided, done: (receipt: DecisionsReceipt) => string) => Promise<void>;
  undo: () => Promise<void>;
}

export function useDecisions({ caseUid, uid, version }: Matrix): Decisions {
  const { call, queries } = useServices();
  const announce = useToast();
  const [busy, setBusy] = useState(false);
  const [news, tell] = useState('');
  const [steps, setSteps] = useState<readonly (readonly string[])[]>([]);
  // Until the list has been read again, what it shows is what was decided, or not yet taken back.
  const during = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await act();
    } finally {
      await queries.refresh(`suggestions/${caseUid}/`);
      setBusy(false);
    }
  };
  return {
    busy,
    news,
    canUndo: steps.length > 0,
    decide: (what, done) =>
      during(async () => {
        const receipt = await call(decideSuggestions, {
          params: { caseUid },
          body: { profile_uid: uid, profile_version: version, ...what },
        });
        tell(receipt.decided === 0 ? leftWords(receipt) : done(receipt));
        if (receipt.changes.length > 0) setSteps((now) => [...now, receipt.changes]);
      }),
    undo: async () => {
      const changes = steps.at(-1);
      if (changes === undefined || busy) return;
      try {
        await during(async () => {
          const { entries } = await call(revertChanges, {
            params: { caseUid },
            body: { changes: [...changes], reason: TAKEN_BACK },
          });
          setSteps((now) => now.slice(0, -1));
          const stands = entries.filter(({ status }) => status !== 'reverted').length;
          tell(
            stands === 0
              ? t('The last decision was taken back.')
              : t(
                  'The last decision was taken back, except {stands, plural, one {# value} other {# values}} recorded since.',
                  { stands },
                ),
          );
        });
      } catch (error) {
        const { title, message } = describeFailure(error);
        announce({ title, description: message, tone: 'danger' });
      }
    },
  };
}
