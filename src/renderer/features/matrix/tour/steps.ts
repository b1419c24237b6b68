import type { EditorAction } from '../actions/actions.ts';
import { actionById } from '../actions/actions.ts';

export interface TourStep {
  /** The part of the editor that it speaks of, as a selector inside the editor. */
  at: string;
  title: string;
  text(keysOf: (action: EditorAction) => string): string;
}

/** The key, or the way to the command where the person has turned its key off. */
const key = (keysOf: (action: EditorAction) => string, id: string): string =>
  keysOf(actionById(id)) || 'the context menu';

export const TOUR: readonly TourStep[] = [
  {
    at: '.mx-field',
    title: 'Items by rules',
    text: () =>
      'Each row is an item, each column a rule of the profile. ' +
      'F says that the evidence is present, T that a problem was found, ' +
      'NA that the evidence is not available. An empty cell with a dotted edge has not been ' +
      'recorded by anybody.',
  },
  {
    at: '.mx-field',
    title: 'Record with one key',
    text: (keysOf) =>
      `Choose a cell, or drag over many, and press ${key(keysOf, 'record.false')}, ` +
      `${key(keysOf, 'record.true')} or ${key(keysOf, 'record.na')}. ` +
      `${key(keysOf, 'record.clear')} makes it unrecorded again, ` +
      `${key(keysOf, 'history.undo')} takes back any step, also after a restart. ` +
      'Cells can be copied from and pasted into a spreadsheet.',
  },
  {
    at: '.mx-panel',
    title: 'Say what it rests on',
    text: (keysOf) =>
      'The panel follows the cell: what the rule means, the reported value, ' +
      `notes, provenance, and who recorded what and when. ${key(keysOf, 'panel.edit')} goes ` +
      'straight to the reported value.',
  },
  {
    at: '.mx-filter',
    title: 'Find what is left',
    text: (keysOf) =>
      `Filter the items here. ${key(keysOf, 'find')} finds a text in IDs, labels, ` +
      `notes and sources, ${key(keysOf, 'move.unrecorded')} goes to the next unrecorded ` +
      `cell, and ${key(keysOf, 'palette')} lists every command.`,
  },
  {
    at: '.mx-tools .btn-primary',
    title: 'Run',
    text: () =>
      'A run freezes the matrix as it is and computes what the evidence supports. Later changes leave it as it was; run again and compare.',
  },
];
