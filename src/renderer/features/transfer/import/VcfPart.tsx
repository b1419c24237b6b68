import { useState } from 'react';
import {
  MOST_SAMPLE_COLUMNS,
  readRegions,
  type VcfChoice,
  type VcfField,
} from '../../../files/vcf.ts';
import { Button } from '../../../ui/Button.tsx';
import { CheckField, TextField } from '../../../ui/Field.tsx';
import type { ChosenFile } from './read-file.ts';
import type { Wizard } from './wizard.ts';
import { t } from '../../../text/t.ts';

function problemOf(region: string): string | undefined {
  try {
    readRegions(region);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Which records of a VCF file become items, and which of their fields come along. */
export function VcfPart({
  wizard,
  opened: { choice: used, header },
}: {
  wizard: Wizard;
  opened: ChosenFile & { kind: 'vcf' };
}) {
  const [choice, setChoice] = useState(used);
  const change = (part: Partial<VcfChoice>): void => setChoice({ ...choice, ...part });
  const { samples, infos, formats } = header;
  const problem = problemOf(choice.region);
  const isSame = JSON.stringify(choice) === JSON.stringify(used);
  const most = Math.floor(MOST_SAMPLE_COLUMNS / Math.max(1, samples.length));
  return (
    <details className="tr-list" open>
      <summary>{t('Records and their fields')}</summary>
      <div className="tr-list-body">
        <p className="small muted">
          {t(
            'Each alternate allele of a record is an item, named by chromosome, place and alleles.',
          )}
        </p>
        <CheckField
          label={t('Only records that passed (FILTER is PASS or empty)')}
          checked={choice.onlyPassed}
          onChecked={(onlyPassed) => change({ onlyPassed })}
        />
        <TextField
          name="region"
          label={t('Only in regions')}
          optional
          mono
          hint={t('For example chr7:117480000-117670000, X')}
          value={choice.region}
          error={problem}
          onValue={(region) => change({ region })}
        />
        <Fields
          legend={t('Fields of the record (INFO)')}
          fields={infos}
          chosen={choice.infos}
          most={infos.length}
          onChosen={(next) => change({ infos: next })}
        />
        {samples.length > 0 && (
          <Fields
            legend={t('Fields of {samples, plural, one {# sample} other {# samples}} (FORMAT)', {
              samples: samples.length,
            })}
            fields={formats}
            chosen={choice.formats}
            most={most}
            onChosen={(next) => change({ formats: next })}
          />
        )}
        <div className="actions">
          <Button
            size="sm"
            disabled={isSame || problem !== undefined}
            onClick={() => void wizard.readAs({ vcf: choice })}
          >
            {t('Read again')}
          </Button>
        </div>
      </div>
    </details>
  );
}

function Fields({
  legend,
  fields,
  chosen,
  most,
  onChosen,
}: {
  legend: string;
  fields: readonly VcfField[];
  chosen: readonly string[];
  most: number;
  onChosen: (chosen: string[]) => void;
}) {
  if (fields.length === 0) return null;
  return (
    <fieldset className="tr-fields">
      <legend className="field-label">{legend}</legend>
      {most < 1 && <p className="small muted">{t('So many samples cannot be columns.')}</p>}
      {fields.map(({ id, description }) => (
        <CheckField
          key={id}
          label={
            <>
              <code>{id}</code> <span className="muted small">{description}</span>
            </>
          }
          checked={chosen.includes(id)}
          disabled={!chosen.includes(id) && chosen.length >= most}
          onChecked={(isChosen) =>
            onChosen(
              isChosen
                ? fields
                    .map((field) => field.id)
                    .filter((one) => one === id || chosen.includes(one))
                : chosen.filter((one) => one !== id),
            )
          }
        />
      ))}
    </fieldset>
  );
}
