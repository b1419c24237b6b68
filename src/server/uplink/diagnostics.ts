import type { StreamName } from '../../shared/contract/ids.ts';
import type { Failure } from '../../shared/contract/call.ts';
import type { UplinkDiagnostics, UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import { PROTOCOL } from '../../shared/contract/sync.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import type { Traffic } from './client.ts';
import type { Situation } from './status.ts';
import type { Store } from '../storage/store.ts';
import type { SharedStream } from '../storage/replication/shared-streams.ts';

const KEPT = 100;

/** Keeps the latest failed requests in memory. */
export class FailureLog {
  readonly #notes: {
    at: number;
    stream: StreamName | null;
    operation: string;
    failure: Failure;
  }[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(stream: StreamName | null, operation: string, failure: Failure): void {
    if (failure.kind === 'no_answer' && failure.reason === 'aborted') return;
    this.#notes.unshift({ at: this.#now(), stream, operation, failure });
    this.#notes.length = Math.min(this.#notes.length, KEPT);
  }

  list(nameOf: (stream: StreamName | null) => string): UplinkDiagnostics['failures'] {
    return this.#notes.map(({ at, stream, operation, failure }) => ({
      at: new Date(at).toISOString(),
      link: nameOf(stream),
      operation,
      status: failure.kind === 'no_answer' ? null : failure.status,
      code:
        failure.kind === 'refused'
          ? failure.code
          : failure.kind === 'no_answer'
            ? failure.reason
            : 'unreadable',
    }));
  }
}

/**
 * A stream's name for diagnostics: its kind, and a digest, since a case_uid may identify a person.
 */
function nameIn(store: Store, hasher: Hasher): (stream: StreamName | null) => string {
  return (stream) => {
    if (stream === null) return 'account';
    const kind = !stream.startsWith('@') ? 'case' : stream === '@profiles' ? 'profiles' : 'project';
    return `${kind}:${hasher.sha256Hex(`${store.storeId}/${stream}`).slice(0, 12)}`;
  };
}

function upstreamOf({ uplink, engine }: Situation): UplinkDiagnostics['upstream'] {
  return uplink?.connected === true
    ? {
        url: uplink.url,
        store: uplink.store,
        epoch: uplink.epoch,
        protocol: PROTOCOL,
        role: uplink.role,
        key_kept: uplink.key_kept,
        clock_offset_ms: engine?.clockOffset ?? null,
      }
    : null;
}

function linkIn(
  link: UplinkStatus['links'][number],
  stored: SharedStream | undefined,
  name: string,
): UplinkDiagnostics['links'][number] {
  const row = stored?.link;
  return {
    link: name,
    state: link.state,
    problem: link.problem,
    gen: row?.gen ?? 0,
    rev: row?.rev ?? 0,
    epoch: row?.epoch ?? '',
    push_pos: row?.push_pos ?? 0,
    pull_seq: link.pull_seq,
    wit_seq: row?.witness.seq ?? 0,
    local_seq: stored?.seq ?? 0,
    waiting: link.waiting,
    quarantined: link.quarantined,
    damaged: stored?.refused ?? 0,
    last_ok: link.last_ok,
    verified_at: link.verified_at,
  };
}

/** Facts for finding faults, without evidence. */
export async function diagnose(
  ports: { store: Store; hasher: Hasher; version: string; home: string; now(): number },
  situation: Situation,
  status: Pick<UplinkStatus, 'state' | 'problem' | 'links'>,
  traffic: Traffic,
  failures: FailureLog,
): Promise<UplinkDiagnostics> {
  const { store, hasher, version, home } = ports;
  const { account_id } = store.local;
  const nameOf = nameIn(store, hasher);
  const shared = await store.read(async (reader) =>
    reader.uplink.streams(account_id, await reader.uplink.shared(account_id)),
  );
  const streams = new Map(shared.map((stream) => [stream.stream, stream]));
  return {
    made_at: new Date(ports.now()).toISOString(),
    app: version,
    store: store.storeId,
    epoch: store.epoch,
    engine: store.engine,
    home,
    upstream: upstreamOf(situation),
    state: status.state,
    problem: status.problem,
    events: situation.engine?.hints ?? { open: false, opened: 0 },
    requests: { ...traffic },
    links: status.links.map((link) => linkIn(link, streams.get(link.stream), nameOf(link.stream))),
    failures: failures.list(nameOf),
  };
}
