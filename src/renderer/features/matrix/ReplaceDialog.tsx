import { plural } from '../../state/format.ts';
import { Confirm } from '../../ui/Dialog.tsx';
import { useEditor, useEditorState } from './editor/use-editor.ts';

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
  const cells = plural(question.replaced, 'recorded cell');
  return (
    <Confirm
      open
      onOpenChange={(next) => {
        if (!next) finish(false);
      }}
      title={`Replace ${cells}?`}
      action={`Replace ${cells}`}
      busy={false}
      onConfirm={() => finish(true)}
    >
      <p>
        {question.label}. What is recorded there is kept in the history of each cell, and Undo
        brings it back.
      </p>
    </Confirm>
  );
}
