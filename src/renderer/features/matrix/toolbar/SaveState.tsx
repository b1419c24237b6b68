import { CircleAlert, CircleCheck, CloudOff, LoaderCircle } from 'lucide-react';
import type { Standing } from '../../../state/standing.ts';
import { PoliteNews } from '../../../ui/PoliteNews.tsx';

const ICONS = { saved: CircleCheck, busy: LoaderCircle, waiting: CloudOff, problem: CircleAlert };

export function SaveState({ standing: { text, tone, news } }: { standing: Standing }) {
  const Icon = ICONS[tone];
  return (
    <>
      <p className="mx-save" data-tone={tone}>
        <Icon size={14} aria-hidden="true" />
        <span>{text}</span>
      </p>
      {/* Each save is not news; that saving stopped, and that it goes again, is. */}
      <PoliteNews text={tone === 'busy' || tone === 'saved' ? 'Changes are being saved.' : news} />
    </>
  );
}
