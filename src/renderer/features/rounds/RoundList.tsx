import type { ReactNode } from 'react';
import type { Round } from '../../../shared/contract/v1/rounds.ts';
import { formatDateTime } from '../../state/format.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import { t } from '../../text/t.ts';
import { isDone, recorderName, whatOf } from './words.ts';

interface RoundListProps {
  rounds: readonly Round[];
  /** What can be done with one. */
  acts: (round: Round) => ReactNode;
}

/** Rounds of a case: who records, who is done, and whether they are released. */
export function RoundList({ rounds, acts }: RoundListProps) {
  return (
    <Table
      caption={t('Independent recordings')}
      head={
        <tr>
          <th scope="col">{t('Title')}</th>
          <th scope="col">{t('Cells')}</th>
          <th scope="col">{t('Recorders')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      }
    >
      {rounds.map((round) => (
        <tr key={round.round_id}>
          <th scope="row">{round.title}</th>
          <td>{whatOf(round)}</td>
          <td>
            <ul className="plain-list">
              {round.recorders.map((recorder) => (
                <li key={recorder.recorder}>
                  {recorderName(recorder)}{' '}
                  <span className="muted small">
                    {recorder.removed
                      ? t('removed')
                      : isDone(recorder)
                        ? t('done')
                        : t('recording')}
                  </span>
                </li>
              ))}
            </ul>
          </td>
          <td>
            {round.state === 'released' ? (
              <Badge tone="accent">{t('Released')}</Badge>
            ) : (
              <Badge>
                {t('{done, number} of {quorum, number} done', {
                  done: round.recorders.filter(isDone).length,
                  quorum: round.quorum,
                })}
              </Badge>
            )}
            {round.releases.map(({ by, at, reason }) => (
              <span key={at} className="row-note">
                {t('{by}, {when}', { by, when: formatDateTime(at) })}
                {reason !== null && `: ${reason}`}
              </span>
            ))}
          </td>
          <td>
            <div className="actions">{acts(round)}</div>
          </td>
        </tr>
      ))}
    </Table>
  );
}
