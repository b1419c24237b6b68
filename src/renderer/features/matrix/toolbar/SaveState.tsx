import { Popover as Base } from '@base-ui/react/popover';
import { CircleAlert, CircleCheck, CloudOff, LoaderCircle } from 'lucide-react';
import { PoliteNews } from '../../../ui/PoliteNews.tsx';
import { useSyncStatus } from '../editor/use-editor.ts';
import { Figures } from './Figures.tsx';
import { t } from '../../../text/t.ts';

const ICONS = { saved: CircleCheck, busy: LoaderCircle, waiting: CloudOff, problem: CircleAlert };

/** Whether everything is saved; a press tells how much of what is not. */
export function SaveState() {
  const { text, tone, news } = useSyncStatus();
  const Icon = ICONS[tone];
  return (
    <>
      <Base.Root modal={false}>
        <Base.Trigger className="mx-save" data-tone={tone} title={text}>
          <Icon size={14} aria-hidden="true" />
          <span>{text}</span>
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner className="popup-positioner" sideOffset={6} side="top" align="start">
            <Base.Popup className="popup popover" aria-label={t('Status')}>
              <Figures />
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
      {/* Each save is not news; that saving stopped, and that it goes again, is. */}
      <PoliteNews
        text={tone === 'busy' || tone === 'saved' ? t('Changes are being saved.') : news}
      />
    </>
  );
}
