import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonProps } from './Button.tsx';
import { t } from '../text/t.ts';

/** Puts `text` on the clipboard and says so, on the button and to screen readers. */
export function CopyButton({
  text,
  label = t('Copy'),
  ...rest
}: { text: string; label?: string } & Omit<ButtonProps, 'children' | 'onClick'>) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), 2_500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      // Absent where the page came over plain HTTP from another machine.
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  const icon =
    state === 'copied' ? (
      <Check size={14} aria-hidden="true" />
    ) : (
      <Copy size={14} aria-hidden="true" />
    );
  return (
    <>
      <Button size="sm" icon={icon} {...rest} onClick={() => void copy()}>
        {label}
      </Button>
      <span role="status" className={state === 'idle' ? 'visually-hidden' : 'small muted'}>
        {state === 'copied'
          ? t('Copied.')
          : state === 'failed'
            ? t('The clipboard is not available; select the text instead.')
            : ''}
      </span>
    </>
  );
}
