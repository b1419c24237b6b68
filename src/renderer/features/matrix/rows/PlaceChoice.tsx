import { useEditor } from '../editor/use-editor.ts';
import { itemName } from '../model/names.ts';
import { type InsertPlace } from './rows.ts';
import { t } from '../../../text/t.ts';

/** Where new items go. Nothing is offered where there is only the end. */
export function PlaceChoice({
  place,
  before,
  onPlace,
}: {
  place: InsertPlace;
  before: string | undefined;
  onPlace: (place: InsertPlace) => void;
}) {
  const { session } = useEditor();
  if (before === undefined) return null;
  return (
    <fieldset className="mx-place">
      <legend>{t('Position')}</legend>
      <label>
        <input
          type="radio"
          name="place"
          checked={place === 'end'}
          onChange={() => onPlace('end')}
        />{' '}
        {t('At the end')}
      </label>
      <label>
        <input
          type="radio"
          name="place"
          checked={place === 'before'}
          onChange={() => onPlace('before')}
        />{' '}
        {t('Before {item}', { item: itemName(session, before) })}
      </label>
    </fieldset>
  );
}
