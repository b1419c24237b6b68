import { CircleAlert, CircleCheck, CloudOff, LoaderCircle } from 'lucide-react';
import { PoliteNews } from '../../../ui/PoliteNews.tsx';
import { useSyncStatus } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

const ICONS = { saved: CircleCheck, busy: LoaderCircle, waiting: CloudOff, problem: CircleAlert };

export function SaveState() {
  const { text, tone, news } = useSyncStatus();
  const Icon = ICONS[tone];
  return (
    <>
      <p className="mx-save" data-tone={tone} title={text}>
        <span className="mx-save-line">
          <Icon size={14} aria-hidden="true" />
          <span>{text}</span>
        </span>
      </p>
      {/* Each save is not news; that saving stopped, and that it goes again, is. */}
      <PoliteNews
        text={tone === 'busy' || tone === 'saved' ? t('Changes are being saved.') : news}
      />
    </>
  );
}
