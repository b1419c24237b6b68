import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { UplinkStatus } from '../../../shared/contract/v1/uplink.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { ShareSwitch } from './ShareSwitch.tsx';

export function SharedProjects({ status, host }: { status: UplinkStatus; host: string }) {
  return (
    <Section
      title="Projects"
      note={
        'A shared project is synced with all of its cases, the profiles that they need, ' +
        'and its runs. Turning it off stops the sync and deletes nothing.'
      }
    >
      {status.projects.length === 0 ? (
        <p className="muted">No project on either side yet.</p>
      ) : (
        <Table
          caption="Projects"
          head={
            <tr>
              <th scope="col">Project</th>
              <th scope="col">On this computer</th>
              <th scope="col">At {URL.parse(host)?.host ?? host}</th>
              <th scope="col">Shared</th>
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
              <td>{here ? 'yes' : 'not yet'}</td>
              <td>{there ? 'yes' : 'not yet'}</td>
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
