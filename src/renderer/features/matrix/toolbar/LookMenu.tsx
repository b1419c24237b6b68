import { SlidersHorizontal } from 'lucide-react';
import { Popover } from '../../../ui/Popover.tsx';
import { DENSITIES, type Density } from '../model/preferences.ts';
import { useEditor, useEditorState, useOffersWriting } from '../editor/use-editor.ts';
import { ADVANCES } from './advances.ts';
import { rich } from '../../../text/rich.ts';
import { t } from '../../../text/t.ts';

const DENSITY_WORDS: Record<Density, string> = {
  dense: t('Compact'),
  usual: t('Default'),
  roomy: t('Tall'),
};

/** How the matrix looks on this computer. */
export function LookMenu() {
  return (
    <Popover label={t('View options')} icon={<SlidersHorizontal size={14} aria-hidden="true" />}>
      <Look />
    </Popover>
  );
}

function Look() {
  const editor = useEditor();
  const { advance, density, paged } = useEditorState((state) => state.preferences);
  const compact = useEditorState((state) => state.compact);
  return (
    <div className="mx-pop">
      {useOffersWriting() && (
        <fieldset>
          <legend>{t('After entry')}</legend>
          {ADVANCES.map(({ value, label }) => (
            <label key={value} className="check">
              <input
                type="radio"
                name="mx-advance"
                checked={advance === value}
                onChange={() => editor.prefer({ advance: value })}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      )}
      <fieldset>
        <legend>{t('Height of the rows')}</legend>
        {DENSITIES.map((value) => (
          <label key={value} className="check">
            <input
              type="radio"
              name="mx-density"
              checked={density === value}
              onChange={() => editor.prefer({ density: value })}
            />
            <span>{DENSITY_WORDS[value]}</span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t('Columns')}</legend>
        <label className="check">
          <input
            type="checkbox"
            checked={compact}
            onChange={() => editor.setCompact(!compact, true)}
          />
          <span>{t('Narrow columns, headings turned')}</span>
        </label>
      </fieldset>
      <fieldset>
        <legend>{t('Reading')}</legend>
        <label className="check">
          <input
            type="checkbox"
            checked={paged}
            onChange={() => editor.prefer({ paged: !paged })}
          />
          <span>
            {rich('Screen-reader view<span>Pages of 50 items, each whole in the document</span>', {
              span: (text) => <span className="muted small check-hint">{text}</span>,
            })}
          </span>
        </label>
      </fieldset>
    </div>
  );
}
