import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { droppedFiles, IMPORTED_FILES } from '../../../files/dropped.ts';
import type { Wizard } from './wizard.ts';
import { t } from '../../../text/t.ts';

/** Takes what was dropped or pasted. */
export async function take(wizard: Wizard, data: DataTransfer): Promise<void> {
  const text = data.getData('text/plain');
  const files = await droppedFiles(data);
  if (typeof files === 'string') wizard.refuse(files);
  else if (files !== undefined) await wizard.choose(files);
  else if (text.trim() !== '') await wizard.choose([new File([text], 'clipboard')]);
}

export function FileStep({ wizard }: { wizard: Wizard }) {
  const [over, setOver] = useState(false);
  const pick = (files: FileList | null): void => {
    if (files !== null && files.length > 0) void wizard.choose([...files]);
  };
  return (
    <div
      className="tr-drop"
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void take(wizard, event.dataTransfer);
      }}
    >
      <FileUp size={28} aria-hidden="true" />
      <label className="btn btn-primary tr-choose">
        {t('Choose a file')}
        <input
          type="file"
          className="visually-hidden"
          accept={IMPORTED_FILES}
          multiple
          onChange={(event) => {
            pick(event.target.files);
            event.target.value = '';
          }}
        />
      </label>
      <p className="muted small">
        {t(
          'CSV, TSV, XLSX, VCF (also .vcf.gz), JSON (also qem-matrix.json), JSON Lines, or a run’s bundle (.eln). Drop a file here, several CSV files or a folder of them, or paste a table with Ctrl+V. Nothing changes before you have seen what would.',
        )}
      </p>
    </div>
  );
}
