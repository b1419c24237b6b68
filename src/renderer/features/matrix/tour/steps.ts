import type { EditorAction } from '../actions/actions.ts';
import { actionById } from '../actions/actions.ts';
import { t, tAs } from '../../../text/t.ts';

export interface TourStep {
  /** The part of the editor that it speaks of, as a selector inside the editor. */
  at: string;
  title: string;
  text(keysOf: (action: EditorAction) => string): string;
}

/** The key, or the way to the command where the person has turned its key off. */
const key = (keysOf: (action: EditorAction) => string, id: string): string =>
  keysOf(actionById(id)) || t('the context menu');

export const TOUR: readonly TourStep[] = [
  {
    at: '.mx-field',
    title: t('Items by rules'),
    text: () =>
      t(
        'Each row is an item, each column a rule of the profile. F says that the evidence is present, T that a problem was found, NA that the evidence is not available. An empty cell with a dotted edge has not been recorded by anybody.',
      ),
  },
  {
    at: '.mx-field',
    title: t('Record with one key'),
    text: (keysOf) =>
      t(
        'Choose a cell, or drag over many, and press {falseKey}, {trueKey} or {naKey}. {clearKey} makes it unrecorded again, {undoKey} takes back any step, also after a restart. Cells can be copied from and pasted into a spreadsheet.',
        {
          falseKey: key(keysOf, 'record.false'),
          trueKey: key(keysOf, 'record.true'),
          naKey: key(keysOf, 'record.na'),
          clearKey: key(keysOf, 'record.clear'),
          undoKey: key(keysOf, 'history.undo'),
        },
      ),
  },
  {
    at: '.mx-panel',
    title: t('Say what it rests on'),
    text: (keysOf) =>
      t(
        'The panel follows the cell: what the rule means, the reported value, notes, provenance, and who recorded what and when. {editKey} goes straight to the reported value.',
        { editKey: key(keysOf, 'panel.edit') },
      ),
  },
  {
    at: '.mx-filter',
    title: t('Find what is left'),
    text: (keysOf) =>
      t(
        'Filter the items here. {findKey} finds a text in IDs, labels, notes and sources, {nextKey} goes to the next unrecorded cell, and {paletteKey} lists every command.',
        {
          findKey: key(keysOf, 'find'),
          nextKey: key(keysOf, 'move.unrecorded'),
          paletteKey: key(keysOf, 'palette'),
        },
      ),
  },
  {
    at: '.mx-tools .btn-primary',
    title: tAs('verb', 'Run'),
    text: () =>
      t(
        'A run freezes the matrix as it is and computes what the evidence supports. Later changes leave it as it was; run again and compare.',
      ),
  },
];
