import * as uplink from '../../shared/contract/v1/uplink.ts';
import { ApiError } from '../context/errors.ts';
import { toPage } from '../http/page.ts';
import { type Route, type RouteDeps, serviceRoute } from '../http/route.ts';
import type { Uplink } from '../context/uplink.ts';
import { readCursor, writeCursor } from '../storage/db/cursor.ts';
import { statusWithout } from '../uplink/status.ts';

/** The exchange of this studio; a hosted server has none and takes no orders about it. */
export function needUplink({ uplink }: RouteDeps): Uplink {
  if (uplink === undefined)
    throw new ApiError('conflict', {
      message: 'This is a hosted server: it is connected to no other.',
    });
  return uplink;
}

export const uplinkRoutes: readonly Route[] = [
  serviceRoute(uplink.connectUplink, async ({ deps, body, origin }) => ({
    status: 200,
    value: await needUplink(deps).connect(body, origin),
  })),

  serviceRoute(uplink.uplinkDiagnostics, async ({ deps }) => ({
    status: 200,
    value: await needUplink(deps).diagnostics(),
  })),

  serviceRoute(uplink.disconnectUplink, async ({ deps, origin }) => ({
    status: 200,
    value: await needUplink(deps).disconnect(origin),
  })),

  serviceRoute(uplink.getUplink, async ({ deps, actor }) => {
    const { account_id } = actor;
    return {
      status: 200,
      value:
        (await deps.uplink?.status()) ??
        (await deps.store.read((reader) => statusWithout(reader, account_id), account_id)),
    };
  }),

  serviceRoute(uplink.listLinks, async ({ deps, query }) => {
    const { stream } = query;
    const { limit, cursor } = toPage(query);
    const links = await needUplink(deps).links();
    if (stream !== undefined)
      return {
        status: 200,
        value: { data: links.filter((link) => link.stream === stream), next_cursor: null },
      };
    const [from] = cursor === undefined ? [0] : readCursor('links', ['whole'], cursor);
    const first = Math.max(0, Number(from));
    const end = first + limit;
    return {
      status: 200,
      value: {
        data: links.slice(first, end),
        next_cursor: end < links.length ? writeCursor('links', [end]) : null,
      },
    };
  }),

  serviceRoute(uplink.shareProject, async ({ deps, params, body, origin }) => ({
    status: 200,
    value: await needUplink(deps).share(params.projectId, body.shared, origin),
    counted: { resource: params.projectId },
  })),

  serviceRoute(uplink.syncUplink, async ({ deps }) => ({
    status: 200,
    value: await needUplink(deps).sync(),
  })),

  serviceRoute(uplink.listUnsent, async ({ deps, query, actor: { account_id } }) => {
    needUplink(deps);
    return {
      status: 200,
      value: await deps.store.read(
        (reader) => reader.uplink.unsent(account_id, query.after),
        account_id,
      ),
    };
  }),
];
