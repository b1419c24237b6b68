import type { AccountId, CaseUid } from '../../shared/contract/ids.ts';
import { participantIdOf } from '../../shared/contract/participant.ts';
import { mayRelay } from '../../shared/contract/rights.ts';
import { presenceEvent } from '../../shared/contract/presence.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { PresenceThere } from '../context/uplink.ts';
import type { Principal } from '../context/principal.ts';
import type { GrownLog } from '../storage/db/grown-log.ts';
import type { EventStream, EventStreams } from './event-streams.ts';

/** Time in which those who come and go are gathered, ms. */
const GATHER_MS = 200;
/** How soon it is asked again who records in a round, after a log has grown, ms. */
const CHECK_MS = 2_000;

/** Refuses programs that name cases: it is people who have them open. */
export function requirePerson(principal: Principal): void {
  const isStudio = principal.authMethod === 'key' && mayRelay(principal);
  if ((principal.authMethod === 'key' && !isStudio) || principal.projects !== null)
    throw new ApiError('insufficient_scope', {
      message: 'Which cases are open is said by people, in a browser or a studio.',
    });
}

/** The people who have a case open, by id. */
function peopleAt(streams: readonly EventStream[]): Map<string, string> {
  return new Map(
    streams.map(({ principal: { actor } }) => [actor.user_id, actor.user_name] as const),
  );
}

/** Gathers the cases in which somebody is to be told something. */
function gatherCases(tell: (account: AccountId, caseUid: CaseUid) => Promise<void>) {
  const due = new Map<AccountId, Set<CaseUid>>();
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let telling: Promise<unknown> = Promise.resolve();

  /** One after another: what was said last is what is so. */
  function tellDue(): void {
    dueAt = Infinity;
    telling = telling.then(async () => {
      const now = [...due].flatMap(([account, cases]) =>
        [...cases].map((caseUid) => tell(account, caseUid)),
      );
      due.clear();
      // Where the store does not answer, nobody is told.
      await Promise.allSettled(now);
    });
  }
  return {
    within(ms: number, account: AccountId, cases: Iterable<CaseUid>): void {
      const known = due.get(account) ?? new Set();
      for (const caseUid of cases) known.add(caseUid);
      if (known.size === 0) return;
      due.set(account, known);
      const at = performance.now() + ms;
      if (at >= dueAt) return;
      clearTimeout(timer);
      dueAt = at;
      timer = setTimeout(tellDue, ms).unref();
    },
    close: () => clearTimeout(timer),
  };
}

/**
 * Who has which case open, from the streams of events that are open here, and at the hosted server
 * of a studio. Readers who record in an open round of the case are told of nobody.
 */
export function createPresence(
  { store, uplink }: Pick<Deps, 'store'> & Partial<Pick<Deps, 'uplink'>>,
  streams: () => EventStreams,
  send: (texts: ReadonlyMap<EventStream, string>) => Promise<void>,
) {
  /** What the hosted server tells this studio, which has one account. */
  const upstream = (account: AccountId): PresenceThere | undefined =>
    uplink !== undefined && account === store.local.account_id ? uplink.presence : undefined;

  const readersOf = (account: AccountId, caseUid: CaseUid): EventStream[] =>
    [...streams().ofAccount(account)].filter(({ open }) => open.has(caseUid));
  const isMet = (account: AccountId, caseUid: CaseUid): boolean =>
    peopleAt(readersOf(account, caseUid)).size + (upstream(account)?.at(caseUid).length ?? 0) > 1;

  async function tell(account: AccountId, caseUid: CaseUid): Promise<void> {
    const recorders = isMet(account, caseUid)
      ? await store.read((reader) => reader.rounds.recording(account, caseUid), account)
      : [];
    const readers = readersOf(account, caseUid);
    const people = peopleAt(readers);
    const others = upstream(account)?.at(caseUid) ?? [];
    const texts = new Map<EventStream, string>();
    for (const stream of readers) {
      const { principal } = stream;
      const own = principal.actor.user_id;
      const seen = recorders.includes(participantIdOf(principal))
        ? []
        : [...[...people].flatMap(([id, name]) => (id === own ? [] : [name])), ...others];
      const text = `data: ${JSON.stringify(presenceEvent(caseUid, new Set(seen)))}\n\n`;
      const before = stream.told.get(caseUid);
      if (before === text || (before === undefined && seen.length === 0)) continue;
      stream.told.set(caseUid, text);
      texts.set(stream, text);
    }
    if (texts.size > 0) await send(texts);
  }

  const due = gatherCases(tell);
  uplink?.presence.listen((cases) => due.within(GATHER_MS, store.local.account_id, cases));
  const openOf = (account: AccountId): CaseUid[] =>
    [...streams().ofAccount(account)].flatMap(({ open }) => [...open]);

  return {
    /** A stream has come or gone. */
    moved({ open, principal: { actor } }: EventStream): void {
      if (open.size === 0) return;
      const { account_id } = actor;
      due.within(GATHER_MS, account_id, open);
      upstream(account_id)?.name(new Set(openOf(account_id)));
    },
    /** A log has grown: a round of its case may have been opened or released. */
    notify({ account_id, case_uid }: Pick<GrownLog, 'account_id' | 'case_uid'>): void {
      const open = openOf(account_id).filter((name) => name === case_uid);
      due.within(CHECK_MS, account_id, open);
    },
    close(): void {
      due.close();
      uplink?.presence.name(new Set());
    },
  };
}
