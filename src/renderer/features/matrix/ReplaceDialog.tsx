import { Confirm } from '../../ui/Dialog.tsx';
import { useEditor, useEditorState } from './editor/use-editor.ts';
import { t } from '../../text/t.ts';

/**
 * Asked before one key replaces very many recorded cells, or a whole column whose heading has the
 * focus.
 */
export function ReplaceDialog() {
  const { store } = useEditor();
  const question = useEditorState((state) => state.replacing);
  if (question === null) return null;
  const finish = (answer: boolean): void => {
    store.setState({ replacing: null });
    question.answer(answer);
  };
  const { replaced } = question;
  return (
    <Confirm
      onClose={() => finish(false)}
      title={t('Replace {replaced, plural, one {# recorded cell} other {# recorded cells}}?', {
        replaced,
      })}
      action={t('Replace {replaced, plural, one {# recorded cell} other {# recorded cells}}', {
        replaced,
      })}
      busy={false}
      onConfirm={() => finish(true)}
    >
      <p>
        {t(
          '{action}. What is recorded there is kept in the history of each cell, and Undo brings it back.',
          { action: question.label },
        )}
      </p>
    </Confirm>
  );
}
