import type { FormEvent, ReactNode, RefObject } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { useEditorState } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

interface WhyFormProps {
  why: string;
  /** Of the decision before this one. */
  lastWhy: string;
  setWhy: (why: string) => void;
  whyRef: RefObject<HTMLInputElement | null>;
  onSubmit: () => void;
  /** The buttons; the one that sends it last. */
  children: ReactNode;
}

/** Below the cells that are decided one after another: what was done last, and why the next is. */
export function WhyForm({ why, lastWhy, setWhy, whyRef, onSubmit, children }: WhyFormProps) {
  const notice = useEditorState((state) => state.notice);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="mx-contests-foot" onSubmit={submit}>
      <p className="mx-contests-news small" role="status" data-tone={notice?.tone}>
        {notice?.text}
      </p>
      <label className="mx-contests-why">
        {t('Reason')}
        <input
          ref={whyRef}
          className="input"
          maxLength={2_000}
          required
          value={why}
          placeholder={t('Kept in the history of each cell')}
          onChange={(event) => setWhy(event.target.value)}
        />
      </label>
      {why === '' && lastWhy !== '' && (
        <Button
          size="sm"
          title={lastWhy}
          onClick={() => {
            setWhy(lastWhy);
            whyRef.current?.focus();
          }}
        >
          {t('Same as before')}
        </Button>
      )}
      {children}
    </form>
  );
}
