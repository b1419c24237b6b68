import { SlidersHorizontal } from 'lucide-react';
import { Popover } from '../../../ui/Popover.tsx';
import { DENSITIES, type Density } from '../model/preferences.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';

const DENSITY_WORDS: Record<Density, string> = {
  dense: 'Compact',
  usual: 'Default',
  roomy: 'Tall',
};

/** How the matrix looks on this computer. */
export function LookMenu() {
  return (
    <Popover label="View options" icon={<SlidersHorizontal size={14} aria-hidden="true" />}>
      <Look />
    </Popover>
  );
}

function Look() {
  const editor = useEditor();
  const { density, paged } = useEditorState((state) => state.preferences);
  const compact = useEditorState((state) => state.compact);
  return (
    <div className="mx-pop">
      <fieldset>
        <legend>Height of the rows</legend>
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
        <legend>Columns</legend>
        <label className="check">
          <input
            type="checkbox"
            checked={compact}
            onChange={() => editor.setCompact(!compact, true)}
          />
          <span>Narrow columns, headings turned</span>
        </label>
      </fieldset>
      <fieldset>
        <legend>Reading</legend>
        <label className="check">
          <input
            type="checkbox"
            checked={paged}
            onChange={() => editor.prefer({ paged: !paged })}
          />
          <span>
            Screen-reader view
            <span className="muted small check-hint">
              Pages of 50 items, each whole in the document
            </span>
          </span>
        </label>
      </fieldset>
    </div>
  );
}
