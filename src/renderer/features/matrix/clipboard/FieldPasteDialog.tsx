import { plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { fieldId } from '../model/fields.ts';
import { ChangeList } from './ChangeList.tsx';
import { commitFieldPaste } from './fields.ts';

/** What a paste into the items' fields would do, before it does. */
export function FieldPasteDialog() {
  const editor = useEditor();
  const paste = useEditorState((state) => state.fieldPaste);
  if (paste === null) return null;
  const { changes, outside } = paste;
  const kept = changes.filter(({ problem }) => problem === undefined).length;
  const close = (): void => editor.store.setState({ fieldPaste: null });
  return (
    <Dialog
      open
      onOpenChange={(next) => {
        if (!next) close();
      }}
      title="Paste into the fields"
      description={
        `${plural(kept, 'field')} would change.` +
        (outside > 0
          ? ` ${plural(outside, 'value')} outside the items and fields shown, skipped.`
          : '')
      }
      wide
      focus="dialog"
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            disabled={kept === 0}
            onClick={() => {
              close();
              void commitFieldPaste(editor, changes);
            }}
          >
            {kept === 0 ? 'Nothing to paste' : `Paste ${plural(kept, 'field')}`}
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
