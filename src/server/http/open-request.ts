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
  /** Connections by which the server asks itself, each with the client for whom it does. */
  const onBehalf = new WeakMap<object, Pick<RequestContext, 'address' | 'shard'>>();

  function connect(server: Server, mark: (far: Duplex) => void): Duplex {
    const [near, far] = duplexPair();
    // Destroying one end of the pair does not always destroy the other, and an event stream would
    // outlive its reader.
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    mark(far);
    server.emit('connection', far);
    return near;
  }
  const newRequestId = (): string => `req_${Buffer.from(random.bytes(12)).toString('hex')}`;
  return {
    newRequestId,
    open(req: IncomingMessage, res: ServerResponse): RequestContext {
      const [path = '', search = ''] = (req.url ?? '').split(/\?(.*)/s);
      const client = onBehalf.get(req.socket);
      const method = req.method === 'HEAD' ? 'GET' : (req.method ?? '');
      return {
        id: newRequestId(),
        req,
        res,
        method,
        path,
        search,
        inProcess: inProcess.has(req.socket),
        address: client === undefined ? proxies.clientOf(req) : client.address,
        shard: client === undefined ? shardOf(req, proxies) : client.shard,
        bodies,
        now: clock.now(),
        began: performance.now(),
        label: '*',
        principal: undefined,
        code: undefined,
        streams: false,
      };
    },
    connectInProcess: (server: Server) => connect(server, (far) => void inProcess.add(far)),
    /** What is asked over it comes from where the other request does. */
    connectFor: (server: Server, { address, shard }: RequestContext) =>
      connect(server, (far) => void onBehalf.set(far, { address, shard })),
  };
}
