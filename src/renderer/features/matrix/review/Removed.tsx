import { itemName, ruleName } from '../model/names.ts';
import { useId } from 'react';
import { useStore } from 'zustand';
import { parseRegister } from '../../../../sync/register.ts';
import type { Alternative, Contest, MatrixSession, EntryAuthor } from '../../../data/store/port.ts';
import { formatDateTime } from '../../../state/format.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { useEditor, useMayWrite } from '../editor/use-editor.ts';
import { authorOf } from '../conflicts/decide.ts';
import { KEEP, RESTORE, type Review } from '../conflicts/review-state.ts';
import { valueText, FIELD_WORDS } from '../conflicts/words.ts';
import { t } from '../../../text/t.ts';

const LISTED = 200;
const ACTS = [
  [RESTORE, t('Restore the item, with all its cells')],
  [KEEP, t('Keep it removed; what was written stays in its history')],
] as const;

function whatOf(session: MatrixSession, { reg, field }: Alternative): string {
  const register = parseRegister(reg);
  return register?.kind === 'assertion' || register?.kind === 'notes'
    ? `${ruleName(session, register.rule)}${field === 'notes' ? `, ${FIELD_WORDS.notes}` : ''}`
    : FIELD_WORDS[field];
}

const UNKNOWN = t('not known here yet');
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
        {remover === undefined
          ? t(
              'It was removed by someone who had not seen what is listed here, and this was recorded by someone who had not seen that it was removed.',
            )
          : t(
              'It was removed by {author}, {when}, who had not seen what is listed here, and this was recorded by someone who had not seen that it was removed.',
              { author: authorOf(remover), when: formatDateTime(remover.at) },
            )}
      </p>
      {overtaken && (
        <Notice tone="danger" live>
          {t('More was recorded since you chose. Look again: nothing was done.')}
        </Notice>
      )}
      <fieldset className="mx-other">
        <legend>{t('What becomes of it')}</legend>
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
        aria-label={t('Recorded without seeing the removal')}
        tabIndex={0}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{t('What')}</th>
              <th scope="col">{t('Value')}</th>
              <th scope="col">{t('Reported value')}</th>
              <th scope="col">{t('Recorded by')}</th>
              <th scope="col">{t('When')}</th>
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
        <p className="small">{t('and {more, number} more', { more: heads.length - LISTED })}</p>
      )}
    </section>
  );
}
