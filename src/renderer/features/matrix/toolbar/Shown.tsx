import { RefreshCw } from 'lucide-react';
import { Button } from '../../../ui/Button.tsx';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { rich } from '../../../text/rich.ts';
import { t } from '../../../text/t.ts';

/** How many items pass the filter, and how many rules are in view where some are hidden. */
export function Shown() {
  const editor = useEditor();
  useRevision();
  const { rowCount: shown, columnCount: rules } = useEditorState((state) => state.view);
  const stale = useEditorState((state) => state.stale);
  const { items, rules: allRules } = editor.session;
  return (
    <div className="mx-shown" title={t('Filters do not change the counts: they are of all items.')}>
      <span>
        {rich(
          '<strong>{shown, number}</strong> of {total, plural, one {# item} other {# items}} shown',
          { shown, total: items.length, strong: (text) => <strong>{text}</strong> },
        )}
      </span>
      {rules < allRules.length && (
        <span>{t('{rules, number} of {all, number} rules', { rules, all: allRules.length })}</span>
      )}
      {stale && (
        <Button
          size="sm"
          icon={<RefreshCw size={13} aria-hidden="true" />}
          title={t('Some items shown no longer pass the filter, or stand out of order')}
          onClick={() => {
            editor.applyAgain();
            editor.focusGrid();
          }}
        >
          {t('Apply again')}
        </Button>
      )}
    </div>
  );
}
