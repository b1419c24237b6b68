import { useLayoutEffect, useState } from 'react';
import { selectedCells } from '../model/selected-cells.ts';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { type PasteChoices, type PastePlan, planPaste } from './plan.ts';
import type { PasteRequest } from '../editor/paste-request.ts';
import { PasteRefused } from '../model/pasted-table.ts';

export interface Planning {
  /** The latest that was finished; it may be of the choices before these. */
  plan: PastePlan | null;
  /**
   * Share done of the one under way; 1 when `plan` is of these choices and of the matrix as it is
   * now.
   */
  progress: number;
  /** Why the block cannot be placed. */
  refusal: string | null;
}

/** Works for so long before the window is served. */
const SLICE_MS = 24;

/**
 * Plans in slices, again with every choice and every change of the matrix. What is no longer wanted
 * stops.
 */
export function usePlan(request: PasteRequest, choices: PasteChoices): Planning {
  const { session } = useEditor();
  const now = useEditorState((state) => state.view);
  const revision = useRevision();
  const [planning, setPlanning] = useState<Planning>({ plan: null, progress: 0, refusal: null });
  useLayoutEffect(() => {
    const steps = planPaste(request.table, selectedCells(request), session, choices, now);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = (): void => {
      const until = performance.now() + SLICE_MS;
      try {
        for (;;) {
          const step = steps.next();
          if (step.done === true) {
            setPlanning({ plan: step.value, progress: 1, refusal: null });
            return;
          }
          if (performance.now() < until) continue;
          const { value } = step;
          setPlanning((before) => ({ ...before, progress: value }));
          timer = setTimeout(work);
          return;
        }
      } catch (error) {
        if (!(error instanceof PasteRefused)) throw error;
        setPlanning((before) => ({ ...before, progress: 1, refusal: error.message }));
      }
    };
    work();
    return () => clearTimeout(timer);
  }, [request, now, session, choices, revision]);
  return planning;
}
