import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import type { PasteRequest } from '../editor/paste-request.ts';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { fieldId } from '../model/fields.ts';
import { ChangeList } from './ChangeList.tsx';
import { commitFieldPaste, planFieldRequest } from './fields.ts';
import { t } from '../../../text/t.ts';

/** What a paste into the items' fields would do, before it does. */
export function FieldPasteDialog() {
  const request = useEditorState((state) => state.fieldPaste);
  return request === null ? null : <FieldPastePreview request={request} />;
}

function FieldPastePreview({ request }: { request: PasteRequest }) {
  const editor = useEditor();
  const now = useEditorState((state) => state.view);
  // Drawn again with every change of the matrix.
  useRevision();
  const paste = planFieldRequest(request, editor.session, now);
  const { changes, outside } = paste ?? { changes: [], outside: 0 };
  const kept = changes.filter(({ problem }) => problem === undefined).length;
  const close = (): void => editor.store.setState({ fieldPaste: null });
  return (
    <Dialog
      onClose={close}
      title={t('Paste into the fields')}
      description={
        outside > 0
          ? t(
              '{kept, plural, one {# field} other {# fields}} would change. {outside, plural, one {# value} other {# values}} outside the items and fields shown, skipped.',
              { kept, outside },
            )
          : t('{kept, plural, one {# field} other {# fields}} would change.', { kept })
      }
      wide
      focus="dialog"
      footer={
        <>
          <Button onClick={close}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            disabled={kept === 0}
            onClick={() => {
              close();
              void commitFieldPaste(editor, changes);
            }}
          >
            {kept === 0
              ? t('Nothing to paste')
              : t('Paste {kept, plural, one {# field} other {# fields}}', { kept })}
          </Button>
        </>
      }
    >
      <ChangeList
        changes={changes.map((change) => ({
          ...change,
          rule: fieldId(change.key),
          after: change.text,
        }))}
      />
    </Dialog>
  );
}
