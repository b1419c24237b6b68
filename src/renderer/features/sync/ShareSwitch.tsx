import type { ProjectId } from '../../../shared/contract/ids.ts';
import { useId, useState } from 'react';
import { mayRecord } from '../../../shared/contract/roles.ts';
import { shareProject } from '../../../shared/contract/v1/uplink.ts';
import { describeFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { useUplink } from '../../state/use-sync-status.ts';
import { useToast } from '../../ui/Toast.tsx';
import { t } from '../../text/t.ts';

/** Whether a project is exchanged with the hosted server. Nothing is shown without a connection. */
export function ShareSwitch({
  projectId,
  name,
  label,
}: {
  projectId: ProjectId;
  name: string;
  label?: string;
}) {
  const { call, uplink } = useServices();
  const { status } = useUplink();
  const announce = useToast();
  const [wish, setWish] = useState<boolean | null>(null);
  const mayShare = useMay(shareProject);
  const id = useId();
  const project = status?.projects.find((entry) => entry.project_id === projectId);
  if (status === undefined || status.connection === null || project === undefined) return null;
  const on = wish ?? project.shared;
  // What is not there yet would have to be sent.
  const why = !mayShare
    ? t('members share projects')
    : !project.shared && !project.there && !mayRecord(status.connection.user.role)
      ? t('the key is read-only')
      : undefined;
  const turn = async (shared: boolean) => {
    setWish(shared);
    try {
      uplink.take(await call(shareProject, { params: { projectId }, body: { shared } }));
    } catch (error) {
      const { title, message } = describeFailure(error);
      announce({
        title: project.shared
          ? t('"{name}" is still shared: {title}.', { name, title })
          : t('"{name}" is not shared: {title}.', { name, title }),
        description: message,
        tone: 'danger',
      });
    } finally {
      setWish(null);
    }
  };
  return (
    <label className="check sync-switch">
      <input
        type="checkbox"
        role="switch"
        checked={on}
        aria-checked={on}
        disabled={why !== undefined}
        aria-describedby={why === undefined ? undefined : id}
        aria-label={t('Share {name} with {host}', {
          name,
          host: URL.parse(status.connection.url)?.host ?? t('the hosted server'),
        })}
        aria-busy={wish === null ? undefined : true}
        onChange={(event) => void turn(event.target.checked)}
      />
      <span aria-hidden="true">{label ?? (on ? t('Shared') : t('Not shared'))}</span>
      {why !== undefined && (
        <span id={id} className="muted">
          ({why})
        </span>
      )}
    </label>
  );
}
