import { useQuery } from '../state/query.ts';
import { Badge } from '../ui/Badge.tsx';

/** Says in the bar when the studio's server is away or may not write; silent while all is well. */
export function ServerState() {
  const session = useQuery('session', (library) => library.session());
  const server = session.data?.server;
  return (
    <span role="status" className="server-state">
      {(session.failure?.kind === 'offline' || session.keptAt !== undefined) && <Badge tone="warning">Server away</Badge>}
      {session.failure?.kind === 'signed-out' && <Badge tone="warning">Signed out</Badge>}
      {server?.read_only === true && <Badge tone="warning">Read only{server.read_only_reason === null ? '' : `: ${server.read_only_reason}`}</Badge>}
    </span>
  );
}
