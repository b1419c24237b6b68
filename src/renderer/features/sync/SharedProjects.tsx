import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { UplinkStatus } from '../../../shared/contract/v1/uplink.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { ShareSwitch } from './ShareSwitch.tsx';
import { t } from '../../text/t.ts';

export function SharedProjects({ status, host }: { status: UplinkStatus; host: string }) {
  return (
    <Section
      title={t('Projects')}
      note={t(
        'A shared project is synced with all of its cases, the profiles that they need, and its runs. Turning it off stops the sync and deletes nothing.',
      )}
    >
      {status.projects.length === 0 ? (
        <p className="muted">{t('No project on either side yet.')}</p>
      ) : (
        <Table
          caption={t('Projects')}
          head={
            <tr>
              <th scope="col">{t('Project')}</th>
              <th scope="col">{t('On this computer')}</th>
              <th scope="col">{t('At {host}', { host: URL.parse(host)?.host ?? host })}</th>
              <th scope="col">{t('Shared')}</th>
            </tr>
          }
        >
          {status.projects.map(({ project_id, name, here, there }) => (
            <tr key={project_id}>
              <th scope="row">
                {here ? (
                  <Link to={pageAddress('project', { projectId: project_id })}>{name}</Link>
                ) : (
                  name
                )}
              </th>
              <td>{here ? t('yes') : t('not yet')}</td>
              <td>{there ? t('yes') : t('not yet')}</td>
              <td>
                <ShareSwitch projectId={project_id} name={name} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
