import type { AccountId, ProjectId, StreamName } from '../../shared/contract/ids.ts';
import {
  type LinkStatus,
  MAX_LINKS,
  MAX_LISTED,
  type UplinkStatus,
} from '../../shared/contract/v1/uplink.ts';
import { PROFILE_STREAM, isCaseStream } from '../../sync/register.ts';
import type { SyncEngine } from './engine.ts';
import { clockWarning } from './handshake.ts';
import type { Positions } from './positions.ts';
import { keptBecause, notTaken } from './words.ts';
import type { Store } from '../storage/store.ts';
import type { StoredUplink } from '../storage/replication/uplink.ts';
import type { SharedStream } from '../storage/replication/shared-streams.ts';
import type { ContentCount } from '../storage/runs/run-counts.ts';
import type { Reader } from '../storage/repositories.ts';

/** Nobody has connected this studio. */
const OFF: UplinkStatus = {
  available: true,
  connection: null,
  state: 'off',
  problem: null,
  warning: null,
  next_try_at: null,
  last_ok: null,
  totals: {
    waiting: 0,
    oldest: null,
    quarantined: 0,
    blocked: 0,
    links: 0,
    runs: 0,
    verified_at: null,
  },
  projects: [],
  links: [],
  owed_runs: [],
  kept_changes: [],
  unsent: { changes: 0, oldest: null },
  previous: null,
  damaged_runs: [],
};

/** The answer of a server that is connected to no other. */
export async function statusWithout(reader: Reader, account: AccountId): Promise<UplinkStatus> {
  return {
    ...OFF,
    available: false,
    damaged_runs: await reader.runs.damaged(account, MAX_LISTED),
  };
}

const at = (ms: number | null): string | null =>
  ms === null || !Number.isFinite(ms) ? null : new Date(ms).toISOString();
const oldestOf = (times: readonly (string | null)[]): string | null =>
  times.filter((time) => time !== null).sort()[0] ?? null;
const newestOf = (times: readonly (string | null)[]): string | null =>
  times
    .filter((time) => time !== null)
    .sort()
    .at(-1) ?? null;

function stateOf(
  { stream, seq, waiting, refused, link }: SharedStream,
  busy: boolean,
  lacking: number,
): LinkStatus['state'] {
  if (link !== undefined && link.state !== 'open') return link.state;
  if (busy) return 'syncing';
  const isVerified =
    link !== undefined &&
    link.verified_at !== null &&
    (stream === PROFILE_STREAM || link.verified_seq === seq);
  return waiting === 0 && refused === 0 && lacking === 0 && isVerified ? 'equal' : 'waiting';
}

/**
 * Both sides were compared at exactly these positions. As long as both logs still stand there, the
 * two are still equal.
 */
function verifiedAt(
  { stream, link }: SharedStream,
  state: LinkStatus['state'],
  positions: Positions | undefined,
): string | null {
  if (link === undefined) return null;
  return newestOf([
    link.verified_at,
    state === 'equal' ? at(positions?.equalAt(stream, link) ?? null) : null,
  ]);
}

/** How many of a case's runs are not whole there; 0 as long as that is not known. */
function lackingThere(
  stream: StreamName,
  contents: ContentCount | undefined,
  positions: Positions | undefined,
): number {
  const there = positions?.streams.get(stream);
  return there === undefined || contents === undefined
    ? 0
    : Math.max(0, contents.known - there.runs);
}

function linkStatus(
  shared: SharedStream,
  engine: SyncEngine | undefined,
  profilesWaiting: number,
  contents: ContentCount | undefined,
): LinkStatus {
  const { stream, kind, title, link, oldest, quarantined, refused } = shared;
  const runs = {
    runs_waiting: contents?.lacking ?? 0,
    runs_lacking: lackingThere(stream, contents, engine?.positions),
  };
  const waiting = kind === 'profiles' ? profilesWaiting : shared.waiting;
  const state = stateOf(
    { ...shared, waiting },
    engine?.isServed(stream) ?? false,
    runs.runs_waiting + runs.runs_lacking,
  );
  return {
    stream,
    kind,
    title,
    state,
    problem: link?.problem ?? null,
    waiting,
    oldest,
    pull_seq: link?.pull_seq ?? 0,
    last_ok: link?.last_ok ?? null,
    verified_at: verifiedAt(shared, state, engine?.positions),
    quarantined,
    kept: refused,
    ...runs,
  };
}

export interface Situation {
  uplink: StoredUplink | undefined;
  engine: SyncEngine | undefined;
  /** Why there is no engine although the studio is connected. */
  problem: string | null;
}

function stateOfAll({ engine, problem }: Situation, waiting: number): UplinkStatus['state'] {
  if (engine === undefined || engine.halted !== null || problem !== null) return 'stopped';
  if (!engine.online) return 'offline';
  if (engine.isBusy) return 'syncing';
  return waiting > 0 || engine.problem !== null ? 'waiting' : 'idle';
}

/** What the store says of projects, streams and runs, in one reading. */
async function readStored(store: Store) {
  const { account_id } = store.local;
  return store.read(async (reader) => {
    const ids = await reader.uplink.shared(account_id);
    const streams = await reader.uplink.streams(account_id, ids);
    const refused = streams.flatMap((one) => (one.refused > 0 ? [one.stream] : []));
    return {
      kept: refused.length === 0 ? [] : await reader.uplink.kept(account_id, refused, MAX_LISTED),
      own: await reader.uplink.projects(account_id),
      shared: new Set(ids),
      streams,
      contents: await reader.runs.counts(
        account_id,
        streams.flatMap(({ stream, kind }) =>
          kind === 'case' && isCaseStream(stream) ? [stream] : [],
        ),
      ),
      damaged: await reader.runs.damaged(account_id, MAX_LISTED),
      left: await reader.uplink.left(),
      pending: await reader.uplink.pendingUploads(account_id),
    };
  });
}
type StoredFacts = Awaited<ReturnType<typeof readStored>>;

/** What no hosted server has acknowledged. */
const unsentOf = ({ streams, left }: StoredFacts): UplinkStatus['unsent'] => ({
  changes: streams.reduce((sum, stream) => sum + stream.waiting + stream.refused, left.changes),
  oldest: oldestOf([left.oldest, ...streams.map((stream) => stream.oldest)]),
});

/** The projects of both sides. */
function projectsOf(
  { own, shared }: StoredFacts,
  engine: SyncEngine | undefined,
): UplinkStatus['projects'] {
  const there = engine?.positions.projects ?? new Map<ProjectId, string>();
  const here = new Set(own.map((project) => project.project_id));
  return [
    ...own.map((project) => ({
      ...project,
      shared: shared.has(project.project_id),
      here: true,
      there: there.has(project.project_id),
    })),
    ...[...there]
      .filter(([id]) => !here.has(id))
      .map(([project_id, name]) => ({
        project_id,
        name,
        shared: shared.has(project_id),
        here: false,
        there: true,
      })),
  ];
}

/** What a person should see first. */
const RANK: readonly LinkStatus['state'][] = ['stopped', 'blocked', 'waiting', 'syncing', 'equal'];

/** As many as a status lists: where there are more, those first that are not in sync. */
const listed = (links: readonly LinkStatus[]): LinkStatus[] =>
  links.length <= MAX_LINKS
    ? [...links]
    : links.toSorted((a, b) => RANK.indexOf(a.state) - RANK.indexOf(b.state)).slice(0, MAX_LINKS);

async function linksOf(
  { streams, contents }: StoredFacts,
  engine: SyncEngine | undefined,
): Promise<LinkStatus[]> {
  const profilesWaiting = (await engine?.profilesWaiting()) ?? 0;
  const ofCase = new Map<string, ContentCount>(contents.map((one) => [one.case_uid, one]));
  return streams.map((stream) =>
    linkStatus(stream, engine, profilesWaiting, ofCase.get(stream.stream)),
  );
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

const totalsOf = (
  { streams, pending }: StoredFacts,
  links: readonly LinkStatus[],
): UplinkStatus['totals'] => ({
  waiting: sum(links.map((link) => link.waiting)),
  oldest: oldestOf(links.map((link) => link.oldest)),
  quarantined: sum(links.map((link) => link.quarantined)),
  blocked:
    sum(links.map((link) => (link.state === 'blocked' ? link.waiting : 0))) +
    sum(streams.map((stream) => stream.refused)) +
    pending.length,
  links: links.length,
  runs: sum(links.map((link) => link.runs_waiting + link.runs_lacking)),
  verified_at: links.some((link) => link.verified_at === null)
    ? null
    : oldestOf(links.map((link) => link.verified_at)),
});

/** The status for a person, read from the store each time. */
export async function statusOf(store: Store, situation: Situation): Promise<UplinkStatus> {
  const status = await wholeStatus(store, situation);
  return { ...status, links: listed(status.links) };
}

/** The same with every link. */
export async function wholeStatus(store: Store, situation: Situation): Promise<UplinkStatus> {
  const { uplink, engine } = situation;
  const stored = await readStored(store);
  const common = { unsent: unsentOf(stored), damaged_runs: stored.damaged };
  if (uplink?.connected !== true)
    return {
      ...OFF,
      ...common,
      previous: uplink === undefined ? null : { url: uplink.url, name: uplink.user_name },
      projects: stored.own.map((project) => ({
        ...project,
        shared: false,
        here: true,
        there: false,
      })),
    };
  const links = await linksOf(stored, engine);
  const totals = totalsOf(stored, links);
  const state = stateOfAll(situation, totals.waiting);
  return {
    available: true,
    connection: {
      url: uplink.url,
      user: { user_id: uplink.user_id, name: uplink.user_name, role: uplink.role },
      key_kept: uplink.key_kept,
      connected_at: uplink.connected_at,
    },
    state,
    problem:
      situation.problem ??
      engine?.problem ??
      (state === 'offline' ? (engine?.lastFailure ?? null) : null),
    warning: clockWarning(engine?.clockOffset ?? null),
    next_try_at: at(engine?.nextAt ?? null),
    last_ok: newestOf([at(engine?.lastOk ?? null), ...links.map((link) => link.last_ok)]),
    totals,
    projects: projectsOf(stored, engine),
    links,
    owed_runs: stored.pending
      .slice(0, MAX_LISTED)
      .map(({ run_uid, case_uid, code, at: since }) => ({
        run_uid,
        case_uid,
        problem: notTaken(code),
        since,
      })),
    kept_changes: stored.kept.map(({ code, at: since, ...change }) => ({
      ...change,
      problem: keptBecause(code),
      since,
    })),
    previous: null,
    ...common,
  };
}
