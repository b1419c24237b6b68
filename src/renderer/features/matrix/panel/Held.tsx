import { Button } from '../../../ui/Button.tsx';
import { t } from '../../../text/t.ts';

/**
 * Why an edit of a proof is not saved by itself: the outcome has become another one since it was
 * begun.
 */
export interface Hold {
  /** The outcome that is there now, in words. */
  outcome: string;
  /** The edit has been saved beside it, or dropped. */
  onSettled: () => void;
  /** The field goes away with the edit in it. */
  onLost: (text: string) => void;
}

/** Asks what becomes of it, and leaves the field then. */
export function Held({
  hold,
  onSave,
  onDrop,
  onLeave,
}: {
  hold: Hold;
  onSave: () => void;
  onDrop: () => void;
  onLeave: () => void;
}) {
  const settle = (act: () => void): void => {
    act();
    hold.onSettled();
    onLeave();
  };
  return (
    <div className="mx-held" data-held="">
      <p role="status">
        {t('Not saved: meanwhile the outcome is {outcome}.', { outcome: hold.outcome })}
      </p>
      <Button size="sm" onClick={() => settle(onSave)}>
        {t('Save beside it')}
      </Button>
      <Button size="sm" variant="ghost" onClick={() => settle(onDrop)}>
        {t('Discard')}
      </Button>
    </div>
  );
}
