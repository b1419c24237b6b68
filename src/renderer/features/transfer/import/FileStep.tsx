import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { droppedFile } from '../../../files/dropped.ts';
import type { Wizard } from './wizard.ts';

const ACCEPTED = '.csv,.tsv,.tab,.txt,.xlsx';

export function FileStep({ wizard }: { wizard: Wizard }) {
  const [over, setOver] = useState(false);
  const drop = (data: DataTransfer): void => {
    const file = droppedFile(data);
    if (typeof file === 'string') wizard.refuse(file);
    else if (file !== undefined) void wizard.choose(file);
  };
  const pick = (files: FileList | null): void => {
    const file = files?.[0];
    if (file !== undefined) void wizard.choose(file);
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
        drop(event.dataTransfer);
      }}
    >
      <FileUp size={28} aria-hidden="true" />
      <label className="btn btn-primary tr-choose">
        Choose a file
        <input
          type="file"
          className="visually-hidden"
          accept={ACCEPTED}
          onChange={(event) => {
            pick(event.target.files);
            event.target.value = '';
          }}
        />
      </label>
      <p className="muted small">
        CSV, TSV or XLSX, up to 200 MB. A file can be dropped here too. Nothing changes before you
        have seen what would.
      </p>
    </div>
  );
}
