import { useState } from 'react';
import { describeFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { useToast } from '../../ui/Toast.tsx';

/** One act of a button: what it changes is loaded again, and its end is announced. */
export function useAct(): {
  busy: boolean;
  act: (
    doing: () => Promise<unknown>,
    words: { changes: readonly string[]; done: string; failed: string },
  ) => Promise<boolean>;
} {
  const { queries } = useServices();
  const announce = useToast();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async act(doing, { changes, done, failed }) {
      setBusy(true);
      try {
        await doing();
        for (const key of changes) queries.invalidate(key);
        announce({ title: done });
        return true;
      } catch (error) {
        const failure = describeFailure(error);
        announce({
          title: `${failed}: ${failure.title}.`,
          description: failure.message,
          tone: 'danger',
        });
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
