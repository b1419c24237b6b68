import type { CellState } from '../../../../shared/domain/outcome.ts';
import { actionById, type EditorAction, isOffered, press } from '../actions/actions.ts';
import { keyHint } from '../actions/key-hint.ts';
import { isRefused, onlySuggests } from '../editor/action.ts';
import type { Editor } from '../editor/editor.ts';
import { showFailure } from '../editor/storing.ts';
import { withdrawSuggested } from '../editor/suggesting.ts';
import type { KeyPress } from '../model/keymap.ts';
import type { Selection } from '../model/selection.ts';
import { withMeaning } from '../model/states.ts';
import { t } from '../../../text/t.ts';

/** Milliseconds between two keys of one word. */
const QUICK = 1_000;
/** Letters of a word that may all be commands by themselves, as the first of "function" are. */
const MAX_COMMANDS = 6;

const OUTCOMES: Readonly<Record<string, Exclude<CellState, null>>> = {
  'record.false': 'FALSE',
  'record.true': 'TRUE',
  'record.na': 'NA',
};
const SPELLINGS = { FALSE: ['FALSE'], TRUE: ['TRUE'], NA: ['NA', 'N/A'] } as const;

export interface TypedKey extends Pick<
  KeyPress,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'
> {
  /** When it was pressed, in milliseconds. */
  timeStamp: number;
}

/** A letter that was a command: what it recorded, and what was selected before it. */
interface LetterCommand {
  from: Selection | null;
  outcome: Exclude<CellState, null> | undefined;
  /** Whether it made an undo step. */
  isStep: Promise<boolean>;
}

export interface Typing {
  /** True where the key is used up; false leaves it to others. */
  take(event: TypedKey, action: EditorAction | undefined): boolean;
  stop(): void;
}

const isModifier = (key: string): boolean =>
  ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock'].includes(key);

const signOf = ({ key, ctrlKey, metaKey, altKey }: TypedKey): string | undefined =>
  [...key].length === 1 && !ctrlKey && !metaKey && !altKey ? key : undefined;

/** What the keys of a cell are, for somebody who has pressed another one. */
function whatWould(): string {
  const keyOf = (id: string): string => keyHint(actionById(id));
  if (Object.keys(OUTCOMES).some((id) => keyOf(id) === ''))
    return t(
      'Letters are turned off under Keyboard shortcuts. {menuKey} opens the menu with the outcomes.',
      { menuKey: keyOf('menu.open') },
    );
  return t(
    '{falseKey} records {falseOutcome}, {trueKey} records {trueOutcome}, {naKey} records {naOutcome}, {clearKey} clears; {editKey} takes a text as the reported value.',
    {
      falseKey: keyOf('record.false'),
      falseOutcome: withMeaning('FALSE'),
      trueKey: keyOf('record.true'),
      trueOutcome: withMeaning('TRUE'),
      naKey: keyOf('record.na'),
      naOutcome: withMeaning('NA'),
      clearKey: keyOf('record.clear'),
      editKey: keyOf('panel.edit'),
    },
  );
}

/**
 * Letters are commands in a cell, so a word that somebody types there must not be taken letter by
 * letter: "fail" would record FALSE, evidence present. The words of the three outcomes mean them.
 */
class CellTyping implements Typing {
  readonly #editor: Editor;
  #commands: LetterCommand[] = [];
  #word = '';
  #mode: 'commands' | 'spelling' | 'word' = 'commands';
  #last = -Infinity;
  #unfinished: ReturnType<typeof setTimeout> | undefined;
  /** Taking back what the word's letters recorded; false where that failed, which is shown. */
  #taken: Promise<boolean> = Promise.resolve(true);

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  take(event: TypedKey, action: EditorAction | undefined): boolean {
    const isQuick = event.timeStamp - this.#last <= QUICK;
    const sign = signOf(event);
    if (sign === undefined) {
      if (isModifier(event.key)) return false;
      const isErasing = this.#mode === 'word' && isQuick && event.key === 'Backspace';
      if (!isErasing) this.stop();
      return isErasing;
    }
    if (!isQuick && this.#mode !== 'spelling') this.stop();
    this.#last = event.timeStamp;
    return this.#read(this.#word + sign, action);
  }

  stop(): void {
    clearTimeout(this.#unfinished);
    this.#commands = [];
    this.#word = '';
    this.#mode = 'commands';
  }

  #read(next: string, action: EditorAction | undefined): boolean {
    if (this.#mode === 'word') {
      this.#word = next;
      this.#say();
    } else if (!this.#spells(next)) {
      if (this.#mode === 'commands' && action !== undefined) {
        this.#word = next.slice(-MAX_COMMANDS);
        return this.#run(action);
      }
      this.#word = next;
      if (!onlySuggests(this.#editor.session.saveStatus) && isRefused(this.#editor)) this.stop();
      else this.#becomeWord();
    }
    return true;
  }

  #run(action: EditorAction): boolean {
    const editor = this.#editor;
    const from = editor.store.getState().selection;
    const outcome = OUTCOMES[action.id];
    if (outcome !== undefined && !isOffered(action, editor) && isRefused(editor)) return true;
    const isRecorded = outcome !== undefined && isOffered(action, editor);
    const isStep = isRecorded ? editor.record(outcome) : Promise.resolve(false);
    this.#commands = [...this.#commands, { from, outcome, isStep }].slice(-MAX_COMMANDS);
    return isRecorded || press(action, editor);
  }

  /** Further letters of the outcome's own word, whose first letter has recorded it. */
  #spells(next: string): boolean {
    const outcome = this.#commands[0]?.outcome;
    if (outcome === undefined || this.#commands.length > 1) return false;
    const upper = next.toUpperCase();
    const fits = SPELLINGS[outcome].filter((spelling) => spelling.startsWith(upper));
    if (fits.length === 0) return false;
    clearTimeout(this.#unfinished);
    if (fits.some((spelling) => spelling === upper)) this.stop();
    else {
      this.#mode = 'spelling';
      this.#word = next;
      this.#unfinished = setTimeout(() => this.#becomeWord(), QUICK);
    }
    return true;
  }

  #becomeWord(): void {
    clearTimeout(this.#unfinished);
    this.#mode = 'word';
    this.#taken = takeBack(this.#editor, this.#commands);
    this.#commands = [];
    this.#say();
  }

  #say(): void {
    const text = refusal(this.#word);
    void this.#taken.then((isTaken) => {
      if (isTaken)
        this.#editor.store.setState({
          notice: { text, tone: 'plain' },
          announcement: { text, passing: true },
        });
    });
  }
}

export const createTyping = (editor: Editor): Typing => new CellTyping(editor);

const refusal = (word: string): string =>
  [...word.trim()].length > 1
    ? `${t('“{word}” is no outcome: nothing is recorded.', { word: word.slice(0, 40) })} ${whatWould()}`
    : `${t('“{word}” means nothing here.', { word })} ${whatWould()}`;

/**
 * What the letters of a word have recorded or suggested is undone; the selection is where it was.
 */
async function takeBack(editor: Editor, commands: LetterCommand[]): Promise<boolean> {
  const { session, store, select } = editor;
  const from = commands[0]?.from ?? null;
  if (from !== null) select(from);
  try {
    const steps = Promise.all(commands.map(({ isStep }) => isStep));
    await session.undoLatest(steps.then((are) => are.filter(Boolean).length));
    if (onlySuggests(session.saveStatus))
      for (const command of commands)
        if (command.from !== null && command.outcome !== undefined)
          await withdrawSuggested(editor, command.from, command.outcome);
    return true;
  } catch (error) {
    showFailure(store, t('Could not undo'), error);
    return false;
  }
}
