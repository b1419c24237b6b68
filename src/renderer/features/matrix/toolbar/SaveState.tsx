import { CircleAlert, CircleCheck, CloudOff, LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSaveStatus } from '../use-editor.ts';
import { saveWords } from './save-words.ts';

const ICONS = { saved: CircleCheck, busy: LoaderCircle, waiting: CloudOff, problem: CircleAlert };
const TICK = 5_000;

export function SaveState({ clock }: { clock: { now(): number } | undefined }) {
  const status = useSaveStatus();
  const [, tick] = useState(0);
  const isWaiting = status.waiting > 0 && clock !== undefined;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), TICK);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const { text, tone } = saveWords(status, clock?.now());
  const Icon = ICONS[tone];
  return (
    <p className="mx-save" data-tone={tone} role={tone === 'problem' ? 'alert' : undefined}>
      <Icon size={14} aria-hidden="true" />
      <span>{text}</span>
    </p>
  );
}
