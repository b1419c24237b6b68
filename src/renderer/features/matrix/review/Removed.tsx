import { itemName, ruleName } from '../model/names.ts';
import { useId } from 'react';
import { useStore } from 'zustand';
import { parseRegister } from '../../../../sync/register.ts';
import type { Alternative, Contest, MatrixSession, EntryAuthor } from '../../../data/store/port.ts';
import { formatCount, formatDateTime } from '../../../state/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { useEditor, useMayWrite } from '../editor/use-editor.ts';
import { authorOf } from '../conflicts/decide.ts';
import { KEEP, RESTORE, type Review } from '../conflicts/review-state.ts';
import { valueText } from '../conflicts/words.ts';

const LISTED = 200;
const ACTS = [
  [RESTORE, 'Restore the item, with all its cells'],
  [KEEP, 'Keep it removed; what was written stays in its history'],
] as const;

function whatOf(session: MatrixSession, { reg, field }: Alternative): string {
  const register = parseRegister(reg);
  return register?.kind === 'assertion' || register?.kind === 'notes'
    ? `${ruleName(session, register.rule)}${field === 'notes' ? ', notes' : ''}`
    : field;
}

const UNKNOWN = 'not known here yet';
const byOf = (writer: EntryAuthor | undefined): string =>
  writer === undefined ? UNKNOWN : authorOf(writer);
const atOf = (writer: EntryAuthor | undefined): string =>
  writer === undefined ? UNKNOWN : formatDateTime(writer.at);

/** An item that one person removed while another one wrote in it. */
export function Removed({ review, contest }: { review: Review; contest: Contest }) {
  const { session } = useEditor();
  const mayWrite = useMayWrite();
  const { heads, choice, overtaken, writers } = useStore(review.store);
  const id = useId();
  const [removal] = session.headsOf(contest.reg);
  const remover = removal === undefined ? undefined : writers.get(removal.entry);
  return (
    <section className="mx-compare" aria-labelledby={id}>
      <h3 id={id}>{itemName(session, contest.item)}</h3>
      <p className="small">
        It was removed by{' '}
        {remover === undefined ? 'someone' : `${authorOf(remover)}, ${formatDateTime(remover.at)},`}{' '}
        who had not seen what is listed here, and this was recorded by someone who had not seen that
        it was removed.
      </p>
      {overtaken && (
        <Notice tone="danger" live>
          More was recorded since you chose. Look again: nothing was done.
        </Notice>
      )}
      <fieldset className="mx-other">
        <legend>What becomes of it</legend>
        {ACTS.map(([act, words], at) => (
          <div key={act}>
            <label>
              <input
                type="radio"
                name={id}
                checked={choice?.entry === act}
                disabled={!mayWrite}
                onChange={() => review.choose(at + 1)}
              />{' '}
              <kbd aria-hidden="true">{at + 1}</kbd> {words}
            </label>
          </div>
        ))}
      </fieldset>
      <div
        className="side-by-side"
        role="region"
        aria-label="Recorded without seeing the removal"
        tabIndex={0}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Value</th>
              <th scope="col">Reported value</th>
              <th scope="col">Recorded by</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {heads.slice(0, LISTED).map((head) => (
              <tr key={head.entry}>
                <td>{whatOf(session, head)}</td>
                <td>{valueText(head)}</td>
                <td>{head.source_value ?? ''}</td>
                <td>{byOf(writers.get(head.entry))}</td>
                <td>{atOf(writers.get(head.entry))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {heads.length > LISTED && (
        <p className="small">and {formatCount(heads.length - LISTED)} more</p>
      )}
    </section>
  );
}
