import { Button } from './Button.tsx';
import { t } from '../text/t.ts';

/** Largest export that is read back. */
const MAX_BYTES = 512 * 1024 * 1024;

/** An export is saved, and then chosen where it was saved, so that it can be checked. */
export function ExportSteps({
  id,
  onSave,
  onChoose,
}: {
  id: string;
  onSave: () => void;
  /** The text of the chosen file, empty where it is too large; undefined: none is chosen. */
  onChoose: (text: string | undefined) => Promise<void>;
}) {
  const read = async (file: File | undefined): Promise<void> => {
    await onChoose(undefined);
    if (file !== undefined) await onChoose(file.size > MAX_BYTES ? '' : await file.text());
  };
  return (
    <ol className="sync-steps">
      <li>
        <span>{t('Save the export where you will find it again.')}</span>
        <Button size="sm" onClick={onSave}>
          {t('Save the export')}
        </Button>
      </li>
      <li>
        <label className="field-label" htmlFor={id}>
          {t('Choose the saved file, so that it can be checked')}
        </label>
        <input
          id={id}
          type="file"
          accept="application/json,.json"
          onChange={(event) => void read(event.target.files?.[0])}
        />
      </li>
    </ol>
  );
}
