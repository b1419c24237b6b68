import type { ItemRow } from '../../../data/store/port.ts';

import { Button } from '../../../ui/Button.tsx';
import { useEditor, useEditorState, useMayWrite } from '../editor/use-editor.ts';
import { shownFields } from '../model/column-plan.ts';
import { fieldText, memberOf } from '../model/fields.ts';
import { addressOf } from '../model/reference.ts';
import { ReferenceLink } from './ReferenceLink.tsx';
import { t } from '../../../text/t.ts';

/** The fields of an item: those shown as columns first. */
export function ItemFields({ item, isOpen = false }: { item: ItemRow; isOpen?: boolean }) {
  const editor = useEditor();
  const mayWrite = useMayWrite();
  const columns = useEditorState((state) => state.columns);
  const shown = shownFields(columns).map(({ key }) => key);
  const keys = [...new Set([...shown, ...Object.keys(item.metadata)])];
  if (keys.length === 0) return null;
  return (
    <details className="mx-part mx-itemfields" open={isOpen || shown.length > 0}>
      <summary>
        {t('{keys, plural, one {# field} other {# fields}} of the item', { keys: keys.length })}
      </summary>
      <dl>
        {keys.map((key) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>
              <FieldValue text={fieldText(memberOf(item.metadata, key))} />
            </dd>
          </div>
        ))}
      </dl>
      {mayWrite && (
        <Button size="sm" onClick={() => editor.show('item-edit')}>
          {t('Edit the item…')}
        </Button>
      )}
    </details>
  );
}

function FieldValue({ text }: { text: string }) {
  const address = addressOf(text);
  if (text === '') return <span className="muted">{t('empty')}</span>;
  return address === undefined ? (
    <>{text}</>
  ) : (
    <ReferenceLink address={address}>{text}</ReferenceLink>
  );
}
