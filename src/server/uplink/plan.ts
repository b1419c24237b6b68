import type { StreamName } from '../../shared/contract/ids.ts';
import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { PROFILE_STREAM, projectStream } from '../../sync/register.ts';
import { knownLink, type LinkState, newLink } from './connection.ts';
import type { Positions } from './positions.ts';
import type { Store } from '../storage/store.ts';

/** What is synced, and which of it has something to do. */
export interface SyncPlan {
  links: Map<StreamName, LinkState>;
  /** Streams with something to do; `look` says whether to read from the other side as well. */
  due: Map<StreamName, { look: boolean }>;
  needed: string[];
}

/**
 * The streams of the shared projects: the projects' own, those of their cases on either side, and
 * the profiles. A known link continues where it stopped. For a new one, if the other side has a log
 * of that name, ids are offered before changes.
 */
export async function makePlan(
  store: Store,
  boot: string,
  known: ReadonlyMap<StreamName, LinkState>,
  positions: Positions,
): Promise<SyncPlan> {
  const account = store.local.account_id;
  const { shared, streams, needed, stored } = await store.read(async (reader) => {
    const projects = await reader.uplink.shared(account);
    return {
      shared: new Set(projects),
      streams: new Map(
        (await reader.uplink.streams(account, projects)).map((stream) => [stream.stream, stream]),
      ),
      needed: await reader.uplink.profiles(account, projects),
      stored: new Map((await reader.log.links(account)).map(({ stream, link }) => [stream, link])),
    };
  });
  const wanted = new Set<StreamName>(
    shared.size === 0 ? [] : [PROFILE_STREAM, ...[...shared].map(projectStream), ...streams.keys()],
  );
  for (const { case_uid, project_id } of positions.streams.values())
    if (project_id !== null && shared.has(project_id)) wanted.add(case_uid);

  const links = new Map<StreamName, LinkState>();
  const due: SyncPlan['due'] = new Map();
  for (const stream of wanted) {
    const here = streams.get(stream);
    const there = positions.streams.get(stream);
    const row = stored.get(stream);
    const link =
      known.get(stream) ??
      (row === undefined
        ? newLink(stream, boot, SYNC_LIMITS.changes, there === undefined ? 0 : (here?.seq ?? 0))
        : knownLink(stream, row, boot, SYNC_LIMITS.changes));
    links.set(stream, link);
    const { pull_seq, pull_chain, epoch, push_pos, verified_seq, verified_at } = link.row;
    const moved =
      there !== undefined &&
      (there.seq !== pull_seq ||
        there.chain !== pull_chain ||
        (epoch !== '' && positions.epoch !== epoch));
    const vanished = there === undefined && epoch !== '';
    const unverified =
      verified_at === null || (stream !== PROFILE_STREAM && verified_seq !== here?.seq);
    const look = moved || vanished || (unverified && there !== undefined);
    if (look || stream === PROFILE_STREAM || (here !== undefined && here.seq > push_pos))
      due.set(stream, { look });
  }
  return { links, due, needed };
}
