import { useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../../../ui/Button.tsx';
import { useMayWrite } from '../editor/use-editor.ts';
import { DetailText } from './DetailText.tsx';
import { hasMarkup, parseNotes } from './markup.ts';
import { NotesText } from './NotesText.tsx';
import { t } from '../../../text/t.ts';

interface NotesFieldProps {
  value: string | null;
  onSave: (value: string | null) => void;
  onLeave: () => void;
}

/**
 * Notes with signs of their own (bold, lists, links) are shown as read until a person edits them;
 * plain ones are a field at once. Keyed by cell by the caller.
 */
export function NotesField({ value, onSave, onLeave }: NotesFieldProps) {
  const blocks = useMemo(() => parseNotes(value ?? ''), [value]);
  const isMarkedUp = hasMarkup(blocks);
  const [isEditing, setEditing] = useState(!isMarkedUp);
  const root = useRef<HTMLDivElement>(null);
  const mayWrite = useMayWrite();
  const edit = (): void => {
    flushSync(() => setEditing(true));
    root.current?.querySelector('textarea')?.focus();
  };
  const read = (): void => {
    flushSync(() => setEditing(false));
    root.current?.querySelector('button')?.focus();
  };
  return (
    <div ref={root} className="mx-notes-field">
      {isEditing ? (
        <>
          {isMarkedUp && (
            <Button size="sm" variant="ghost" className="mx-switch" onClick={read}>
              {t('Read')}
            </Button>
          )}
          <DetailText
            label={t('Notes')}
            rows={3}
            value={value}
            hint={t('**bold**, *italic*, `code`, - list, addresses, doi:')}
            onSave={onSave}
            onLeave={onLeave}
          />
        </>
      ) : (
        <section className="mx-detail" aria-label={t('Notes')}>
          <h3>{t('Notes')}</h3>
          {mayWrite && (
            <Button
              size="sm"
              variant="ghost"
              className="mx-switch"
              aria-label={t('Edit the notes')}
              onClick={edit}
            >
              {t('Edit')}
            </Button>
          )}
          <div className="mx-notes-read">
            <NotesText blocks={blocks} />
          </div>
        </section>
      )}
    </div>
  );
}
