import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { Project } from '../../../shared/contract/v1/projects.ts';
import { domainName, formatDateTime } from '../../state/format.ts';
import { Button } from '../../ui/Button.tsx';
import { Pager, usePager } from '../../ui/Pager.tsx';
import { Table } from '../../ui/Table.tsx';

const PAGE = 50;

export function ProjectsTable({
  projects,
  onEdit,
}: {
  projects: readonly Project[];
  onEdit: ((project: Project) => void) | undefined;
}) {
  const pager = usePager(projects.length, PAGE);
  return (
    <>
      <Table
        caption="Projects"
        head={
          <tr>
            <th scope="col">Project</th>
            <th scope="col">Domain</th>
            <th scope="col">Changed</th>
            {onEdit !== undefined && (
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        }
      >
        {projects.slice(pager.first, pager.end).map((project) => (
          <tr key={project.project_id}>
            <th scope="row">
              <Link to={pageAddress('project', { projectId: project.project_id })}>
                {project.name}
              </Link>
              {project.description !== '' && (
                <span className="row-note">{project.description}</span>
              )}
            </th>
            <td className="nowrap">{domainName(project.domain)}</td>
            <td className="nowrap num">{formatDateTime(project.updated_at)}</td>
            {onEdit !== undefined && (
              <td className="n">
                <Button
                  size="sm"
                  onClick={() => onEdit(project)}
                  aria-label={`Edit ${project.name}`}
                >
                  Edit
                </Button>
              </td>
            )}
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what="projects" />
    </>
  );
}
