import { FileUp } from 'lucide-react';
import { IMPORTED_FILES } from '../../files/dropped.ts';
import { holdFiles } from '../../state/files-in-hand.ts';
import { t } from '../../text/t.ts';

/** Begins with a file: the case for it is asked next. */
export function ChooseFile() {
  return (
    <label className="btn btn-secondary">
      <FileUp size={15} aria-hidden="true" />
      {t('Import a file…')}
      <input
        type="file"
        className="visually-hidden"
        accept={IMPORTED_FILES}
        multiple
        onChange={({ target }) => {
          if (target.files !== null && target.files.length > 0) holdFiles([...target.files]);
          target.value = '';
        }}
      />
    </label>
  );
}
