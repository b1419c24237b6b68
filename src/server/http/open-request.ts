import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { SHARD_HEADER } from '../auth/shard.ts';
import type { Deps } from '../context/deps.ts';
import type { BodyReceiver, RequestContext } from '../context/request.ts';
import type { Proxies } from './proxies.ts';

/** What anybody but a proxy says of itself counts for nothing. */
function shardOf({ headers, socket }: IncomingMessage, proxies: Proxies): string | undefined {
  const shard = headers[SHARD_HEADER];
  return typeof shard === 'string' && proxies.has(socket.remoteAddress ?? '') ? shard : undefined;
}

/** Makes the context of each request, and knows the connections from inside this process. */
export function createRequestOpener(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  proxies: Proxies,
  bodies: BodyReceiver,
) {
  const inProcess = new WeakSet<object>();
  const newRequestId = (): string => `req_${Buffer.from(random.bytes(12)).toString('hex')}`;
  return {
    newRequestId,
    open(req: IncomingMessage, res: ServerResponse): RequestContext {
      const [path = '', search = ''] = (req.url ?? '').split(/\?(.*)/s);
      const method = req.method === 'HEAD' ? 'GET' : (req.method ?? '');
      return {
        id: newRequestId(),
        req,
        res,
        method,
        path,
        search,
        inProcess: inProcess.has(req.socket),
        address: proxies.clientOf(req),
        shard: shardOf(req, proxies),
        bodies,
        now: clock.now(),
        began: performance.now(),
        label: '*',
        principal: undefined,
        code: undefined,
        streams: false,
      };
    },
    connectInProcess(server: Server): Duplex {
      const [near, far] = duplexPair();
      // Destroying one end of the pair does not always destroy the other, and an event stream would
      // outlive its reader.
      near.once('close', () => far.destroy());
      far.once('close', () => near.destroy());
      inProcess.add(far);
      server.emit('connection', far);
      return near;
    },
  };
}
