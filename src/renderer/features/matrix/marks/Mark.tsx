import { STATE_WORDS, type StateKey } from '../model/states.ts';

/** The sign of a state as it stands in the cells; words must stand beside it. */
export function Mark({ state }: { state: StateKey }) {
  return (
    <span className="mx-mark" data-state={state} aria-hidden="true">
      {STATE_WORDS[state].letter}
    </span>
  );
}
