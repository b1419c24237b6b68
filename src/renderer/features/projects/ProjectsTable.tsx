import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type { Project, ProjectSort } from '../../../shared/contract/v1/projects.ts';
import { domainName, formatDateTime } from '../../state/format.ts';
import { Button } from '../../ui/Button.tsx';
import { SortHeading, type Sorting } from '../../ui/SortHeading.tsx';
import { Table } from '../../ui/Table.tsx';
import { t } from '../../text/t.ts';

export function ProjectsTable({
  projects,
  sorting,
  onSort,
  onEdit,
  more,
}: {
  projects: readonly Project[];
  sorting: Sorting<ProjectSort>;
  onSort: (sorting: Sorting<ProjectSort>) => void;
  onEdit: ((project: Project) => void) | undefined;
  /** What else can be done with one. */
  more: (project: Project) => ReactNode;
}) {
  return (
    <Table
      caption={t('Projects')}
      head={
        <tr>
          <SortHeading by="name" label={t('Project')} sorting={sorting} onSort={onSort} />
          <th scope="col">{t('Domain')}</th>
          <SortHeading
            by="changed"
            label={t('Changed')}
            first="desc"
            sorting={sorting}
            onSort={onSort}
          />
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      }
    >
      {projects.map((project) => (
        <tr key={project.project_id}>
          <th scope="row">
            <Link to={pageAddress('project', { projectId: project.project_id })}>
              {project.name}
            </Link>
            {project.description !== '' && <span className="row-note">{project.description}</span>}
          </th>
          <td className="nowrap">{domainName(project.domain)}</td>
          <td className="nowrap num">{formatDateTime(project.updated_at)}</td>
          <td className="n">
            <span className="row-actions">
              {onEdit !== undefined && (
                <Button
                  size="sm"
                  onClick={() => onEdit(project)}
                  aria-label={t('Edit {name}', { name: project.name })}
                >
                  {t('Edit')}
                </Button>
              )}
              {more(project)}
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}
