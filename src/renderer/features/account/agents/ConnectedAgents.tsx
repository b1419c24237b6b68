import { useState } from 'react';
import type { ApiKey } from '../../../../shared/contract/v1/account.ts';
import { listActivity } from '../../../../shared/contract/v1/activity.ts';
import { formatDate, formatDateTime } from '../../../state/format.ts';
import { useQuery } from '../../../state/query.ts';
import { useServices } from '../../../state/services.tsx';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { t } from '../../../text/t.ts';
import { keyState, orderKeys } from '../key-state.ts';
import { mayWords } from '../key-words.ts';
import { TakeBackDialog } from './TakeBackDialog.tsx';

/** Keys of agents; those of studios, which only bring what others wrote, are not among them. */
export function ConnectedAgents({ keys }: { keys: readonly ApiKey[] }) {
  const { clock, call } = useServices();
  const [takingBack, setTakingBack] = useState<ApiKey | null>(null);
  const agents = orderKeys(
    keys.filter(({ scopes }) => !scopes.includes('sync')),
    clock.now(),
  ).filter((key) => ['active', 'paused'].includes(keyState(key, clock.now())));
  const since = agents.map(({ created_at }) => created_at).toSorted()[0];
  const activity = useQuery(`agents/activity/${since ?? ''}`, async () => ({
    data:
      since === undefined
        ? []
        : (await call(listActivity, { query: { since, kind: 'agent' } })).data,
    stale: false,
    at: clock.now(),
  })).data;
  const didWords = ({ name }: ApiKey): string => {
    const own = activity?.filter(({ by }) => by === name) ?? [];
    if (own.length === 0) return t('nothing recorded');
    const changes = own.reduce((sum, entry) => sum + entry.changes, 0);
    return t(
      '{changes, plural, one {# change} other {# changes}} in {cases, plural, one {one case} other {# cases}}',
      { changes, cases: own.length },
    );
  };
  return (
    <Section
      title={t('Agents that are connected')}
      note={[
        t('"Wrote" counts in the 20 cases written to last.'),
        t(
          'What each did stands in the history of each cell and, for owners, in the audit trail on the account page.',
        ),
      ].join(' ')}
    >
      {agents.length === 0 ? (
        <EmptyState title={t('No agent is connected')}>
          <p>{t('It appears here once it has asked and was let in.')}</p>
        </EmptyState>
      ) : (
        <Table
          caption={t('Agents that are connected')}
          head={
            <tr>
              <th scope="col">{t('Name')}</th>
              <th scope="col">{t('May')}</th>
              <th scope="col">{t('Let in')}</th>
              <th scope="col">{t('Last used')}</th>
              <th scope="col">{t('Wrote')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('Actions')}</span>
              </th>
            </tr>
          }
        >
          {agents.map((key) => (
            <tr key={key.key_id}>
              <th scope="row">
                {key.name}
                {key.paused_at !== null && (
                  <>
                    {' '}
                    <Badge tone="warning">{t('paused')}</Badge>
                  </>
                )}
              </th>
              <td className="nowrap">{mayWords(key)}</td>
              <td className="nowrap num">{formatDate(key.created_at)}</td>
              <td className="nowrap num">
                {key.last_used_at === null ? t('never') : formatDateTime(key.last_used_at)}
              </td>
              <td>{didWords(key)}</td>
              <td className="n">
                <Button
                  size="sm"
                  onClick={() => setTakingBack(key)}
                  aria-label={t('Take back the access of {name}', { name: key.name })}
                >
                  {t('Take back…')}
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {takingBack !== null && (
        <TakeBackDialog agent={takingBack} onClose={() => setTakingBack(null)} />
      )}
    </Section>
  );
}
