import type { ProjectId, StreamName, UserId } from '../../shared/contract/ids.ts';
import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { layerOf, PROFILE_STREAM, projectStream } from '../../sync/register.ts';
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

/** The streams that are exchanged, on either side. Layers wait until the other side knows them. */
function wantedStreams(
  shared: ReadonlySet<ProjectId>,
  here: Iterable<StreamName>,
  { streams }: Positions,
  knowsLayers: boolean,
): Set<StreamName> {
  if (shared.size === 0) return new Set();
  const isWanted = (name: StreamName): boolean => knowsLayers || layerOf(name) === undefined;
  const wanted = new Set([
    PROFILE_STREAM,
    ...[...shared].map(projectStream),
    ...[...here].filter(isWanted),
  ]);
  for (const { case_uid, project_id } of streams.values())
    if (project_id !== null && shared.has(project_id)) wanted.add(case_uid);
  for (const name of streams.keys()) {
    const of = layerOf(name)?.case;
    if (of !== undefined && wanted.has(of) && isWanted(name)) wanted.add(name);
  }
  return wanted;
}

/**
 * Whether the other side names a log to this studio where it has it: while a round is open it names
 * the layer of one of the studio's agents to nobody.
 */
const isNamedThere = (stream: StreamName, user: UserId): boolean => {
  const layer = layerOf(stream);
  return layer === undefined || layer.recorder === user;
};

/**
 * The streams of the shared projects: the projects' own, those of their cases on either side with
 * the layers of these, and the profiles. A known link continues where it stopped. For a new one, if
 * the other side has a log of that name, ids are offered before changes.
 */
export async function makePlan(
  store: Store,
  boot: string,
  known: ReadonlyMap<StreamName, LinkState>,
  positions: Positions,
  knowsLayers: boolean,
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
  const wanted = wantedStreams(shared, streams.keys(), positions, knowsLayers);
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
    const vanished =
      there === undefined && epoch !== '' && isNamedThere(stream, store.local.user_id);
    const unverified =
      verified_at === null || (stream !== PROFILE_STREAM && verified_seq !== here?.seq);
    const look = moved || vanished || (unverified && there !== undefined);
    if (look || stream === PROFILE_STREAM || (here !== undefined && here.seq > push_pos))
      due.set(stream, { look });
  }
  return { links, due, needed };
}
