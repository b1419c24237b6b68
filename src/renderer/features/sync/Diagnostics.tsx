import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type UplinkDiagnostics, uplinkDiagnostics } from '../../../shared/contract/v1/uplink.ts';
import { describeFailure } from '../../state/failure.ts';
import { formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useUplink } from '../../state/use-sync-status.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { t } from '../../text/t.ts';

const LATEST = 20;

/**
 * The last failures, and a file of facts for whoever looks for a fault: no evidence, no names, no
 * key.
 */
export function Diagnostics({ available }: { available: boolean }) {
  const { call, overview, clock, persisted } = useServices();
  const { at } = useUplink();
  const [server, setServer] = useState<UplinkDiagnostics>();
  useEffect(() => {
    let isGone = false;
    if (available)
      call(uplinkDiagnostics).then(
        (answer) => (isGone ? undefined : setServer(answer)),
        () => undefined,
      );
    return () => {
      isGone = true;
    };
  }, [call, available, at]);
  const save = async () => {
    const made = new Date(clock.now()).toISOString();
    const asked = available
      ? await call(uplinkDiagnostics).catch((error: unknown) => ({
          failed: describeFailure(error).code ?? describeFailure(error).title,
        }))
      : null;
    const window = {
      ...(await overview.diagnostics()),
      persisted: await persisted,
      user_agent: navigator.userAgent,
      online: navigator.onLine,
    };
    saveFile(
      `sync-diagnostics-${made.slice(0, 16).replaceAll(/[:T]/g, '-')}.json`,
      'application/json',
      JSON.stringify({ made_at: made, window, server: asked }, null, 2),
    );
  };
  const failures = server?.failures.slice(0, LATEST) ?? [];
  return (
    <Section
      title={t('Last errors')}
      actions={
        <Button icon={<Download size={15} aria-hidden="true" />} onClick={() => void save()}>
          {t('Save diagnostics')}
        </Button>
      }
      note={t(
        'The file has counts, positions, times and error codes. It has no evidence, no names of projects, cases or people, and no key.',
      )}
    >
      {failures.length === 0 ? (
        <p className="muted">{t('None is known.')}</p>
      ) : (
        <Table
          caption={t('Last errors')}
          dense
          head={
            <tr>
              <th scope="col">{t('When')}</th>
              <th scope="col">{t('Of')}</th>
              <th scope="col">{t('Operation')}</th>
              <th scope="col" className="n">
                {t('Status')}
              </th>
              <th scope="col">{t('Code')}</th>
            </tr>
          }
        >
          {failures.map((failure, index) => (
            <tr key={`${failure.at} ${index}`}>
              <td className="nowrap num">{formatDateTime(failure.at)}</td>
              <td className="mono">{failure.link}</td>
              <td>
                <code>{failure.operation}</code>
              </td>
              <td className="n">{failure.status ?? '–'}</td>
              <td>
                <code>{failure.code}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
