import { Button } from '../../ui/Button.tsx';

import { PAGE_ROWS } from './model/preferences.ts';
import { useEditor, useEditorState } from './editor/use-editor.ts';
import { t } from '../../text/t.ts';

/** Where the matrix is read page by page: leads from one to the next. */
export function Pages() {
  const editor = useEditor();
  const paged = useEditorState((state) => state.preferences.paged);
  const { at, count } = useEditorState((state) => state.page);
  const shown = useEditorState((state) => state.view.rowCount);
  if (!paged || shown === 0) return null;
  const last = Math.min(shown, (at + 1) * PAGE_ROWS);
  return (
    <nav className="mx-pages" aria-label={t('Pages of items')}>
      <Button size="sm" disabled={at === 0} onClick={() => editor.goToPage(at - 1)}>
        {t('Previous 50')}
      </Button>
      <Button size="sm" disabled={at >= count - 1} onClick={() => editor.goToPage(at + 1)}>
        {t('Next 50')}
      </Button>
      <span role="status">
        {t('Items {first, number} to {last, number} of {shown, number}', {
          first: at * PAGE_ROWS + 1,
          last,
          shown,
        })}
      </span>
    </nav>
  );
}
