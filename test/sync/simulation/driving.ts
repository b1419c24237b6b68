import type {
  Driven,
  DriverState,
  LinkStore,
  StepOutcome,
  Sendable,
  Upstream,
} from '../../../src/sync/driver/ports.ts';
import { pushOnce } from '../../../src/sync/driver/push.ts';
import type { LinkRow, PushReply } from '../../../src/sync/link.ts';
import type { CallResult } from '../../../src/shared/contract/call.ts';
import { type Core, hasher } from './core.ts';
import type { Ask, Page, Reply, Request } from './messages.ts';

/** Most changes of one request: more than any run writes. */
export const MOST = 64;

/** The process has ended before what it was about to store was on its disk. */
export class CrashError extends Error {
  override name = 'CrashError';
}

/** Another process has changed the link's row, so that nothing was stored; this one goes on. */
export class MovedError extends Error {
  override name = 'MovedError';
}

/** A link's end in the simulation. */
interface End {
  readonly name: string;
  readonly core: Core;
  readonly ears: { time(): number; answers(store: string): boolean };
  driver: DriverState;
}
interface Port extends LinkStore<Sendable, PushReply, Page> {
  /** What one request of the step that begins holds at most. */
  limit: number;
}

/** The network as the driver's upstream: `limit` is what one request or page holds at most. */
class Network implements Upstream<PushReply, Page> {
  readonly #end: End;
  readonly #limit: number;
  readonly #ask: Ask;
  asked = false;

  constructor(end: End, limit: number, ask: Ask) {
    this.#end = end;
    this.#limit = limit;
    this.#ask = ask;
  }
  async #call<T>(
    row: LinkRow,
    request: DistributiveOmit<Request, 'witness'>,
    bodyOf: (reply: Reply) => T | undefined,
  ): Promise<CallResult<T>> {
    this.asked = true;
    const { core } = this.#end;
    const witness = core.witnessOf(row)['sync-witness'];
    const reply = await this.#ask({ ...request, witness } as Request);
    const body = bodyOf(reply);
    if (body !== undefined) return { kind: 'ok', status: 200, body };
    if (reply.kind === 'refused' || reply.kind === 'unreadable' || reply.kind === 'no_answer')
      return reply;
    return { kind: 'unreadable', status: 200, reason: 'of another request' };
  }
  push(changes: readonly Sendable[], row: LinkRow) {
    const sent = changes.map(({ id, change }) => ({ id, change }));
    return this.#call(row, { kind: 'push', changes: sent, to: changes.at(-1)?.seq ?? 0 }, (reply) =>
      reply.kind === 'pushed' ? reply.body : undefined,
    );
  }
  missing(ids: readonly string[], row: LinkRow) {
    return this.#call(row, { kind: 'missing', ids }, (reply) =>
      reply.kind === 'lacking' ? reply.body : undefined,
    );
  }
  changes(limit: number, row: LinkRow) {
    const most = Math.min(limit, this.#limit);
    return this.#call(row, { kind: 'pull', after: row.pull_seq, limit: most }, (reply) =>
      reply.kind === 'page' ? reply.body : undefined,
    );
  }
  ancestor(marks: Parameters<Upstream<PushReply, Page>['ancestor']>[0], row: LinkRow) {
    return this.#call(row, { kind: 'ancestor', marks }, (reply) =>
      reply.kind === 'common' ? reply.body : undefined,
    );
  }
  async answers(): Promise<boolean> {
    return this.#end.ears.answers(this.#end.name);
  }
  async takesOthers(): Promise<boolean> {
    return true;
  }
}
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What the shipped driver works on, for one step. */
export function drivenBy(
  end: End,
  port: Port,
  limit: number,
  ask: Ask,
): Driven & { readonly upstream: Network } {
  const { core, ears, driver } = end;
  port.limit = limit;
  return {
    store: port,
    upstream: new Network(end, limit, ask),
    state: driver,
    hasher,
    mostChanges: MOST,
    versions: '',
    now: () => 0,
    elapsed: () => ears.time(),
    ended: false,
    rules: core,
  };
}

/** Sends until something was asked: moving past what need not be sent asks nothing. */
export async function untilAsked(link: ReturnType<typeof drivenBy>): Promise<StepOutcome> {
  for (;;) {
    const outcome = await pushOnce(link);
    if (outcome.kind !== 'again' || link.upstream.asked) return outcome;
  }
}

/** What an outcome means beyond this step. */
export function actionOf(core: Core, outcome: StepOutcome): 'recover' | 'block' | null {
  if (outcome.kind === 'diverged') return 'recover';
  if (outcome.kind !== 'failed') return null;
  const { do: action } = core.ACTIONS[outcome.phase][core.answerOf(outcome.failure)];
  return action === 'recover' || action === 'block' ? action : null;
}

/** A step of the driver, stopped at each of its requests for as long as the network pleases. */
export class Step {
  request: Request | null = null;
  #reply: (reply: Reply) => void = () => {};
  #halt: () => void = () => {};
  #halted: Promise<void>;
  readonly #end: Promise<void>;

  constructor(play: (ask: Ask) => Promise<void>) {
    this.#halted = this.#arm();
    this.#end = play(
      (request) =>
        new Promise((resolve) => {
          this.request = request;
          this.#reply = resolve;
          this.#halt();
        }),
    );
  }
  #arm(): Promise<void> {
    return new Promise((resolve) => (this.#halt = resolve));
  }
  /**
   * The request that it waits for; null where it has ended, or could not store what it was about
   * to.
   */
  async waits(): Promise<Request | null> {
    try {
      await Promise.race([this.#end, this.#halted]);
      return this.request;
    } catch (error) {
      if (!(error instanceof MovedError)) throw error;
      return null;
    }
  }
  /** What it asks next. */
  async answer(reply: Reply): Promise<Request | null> {
    this.request = null;
    this.#halted = this.#arm();
    this.#reply(reply);
    return this.waits();
  }
}
