import { CrashError, Step } from './driving.ts';
import { LogStore } from './log-store.ts';
import { type Page, refused, type Reply, type Request } from './messages.ts';
import { type Store, Writing } from './writing.ts';

export const FAULTS = [
  'none',
  'none',
  'none',
  'none',
  'lost-request',
  'lost-response',
  'dup-request',
  'dup-response',
  'delay-request',
  'delay-response',
  'truncate',
  'crash',
  'html',
  'busy',
] as const;
export type Fault = (typeof FAULTS)[number];
/** Between two requests, ms: the bound of R12 is reached after some tries. */
const FAULT_STEP = 10_000;
/** The network between the stores, with its faults, and servers that fail. */
export abstract class Traffic extends Writing {
  abstract readonly up: ReadonlyMap<Store, LogStore>;
  /** Links, whoever asks first: renderers before hubs. */
  abstract readonly clients: readonly Store[];
  abstract readonly spoiled: ReadonlySet<string>;
  requests = 0;
  /** Changes that a server fails on until its next version, and servers that fail on everything. */
  readonly stumbles = new Map<LogStore, Set<string>>();
  readonly everStumbled = new Set<string>();
  protected readonly down = new Set<LogStore>();
  protected readonly revoked = new Set<Store>();
  #time = 0;
  #net: { client: Store; step: Step; request: Request; reply: Reply | undefined }[] = [];

  time(): number {
    return this.#time;
  }
  answers(store: string): boolean {
    const client = this.clients.find(({ name }) => name === store) as Store;
    return !this.down.has(this.up.get(client) as LogStore);
  }

  serve(client: Store, request: Request): Reply {
    this.requests += 1;
    if (this.revoked.has(client)) return refused(403, 'origin_not_allowed');
    const upstream = this.up.get(client) as LogStore;
    this.#time += FAULT_STEP;
    if (
      this.down.has(upstream) ||
      (request.kind === 'push' &&
        request.changes.some(({ id }) => this.stumbles.get(upstream)?.has(id) === true))
    )
      return refused(500, 'internal_error');
    return this.served(upstream, request);
  }
  /** A server fails on a change that it has not: the newest that one of its clients has. */
  protected stumble(client: Store): void {
    const upstream = this.up.get(client) as LogStore;
    const ids = client instanceof LogStore ? client.log : client.outbox.map(({ id }) => id);
    const id = ids.findLast((one) => !upstream.held.has(one) && !this.spoiled.has(one));
    if (id === undefined) return;
    this.count('stumbles');
    this.everStumbled.add(id);
    this.stumbles.set(upstream, (this.stumbles.get(upstream) ?? new Set()).add(id));
  }
  /** After an upgrade of a server what was set aside is offered again. */
  async offerAside(): Promise<void> {
    for (const client of this.clients) {
      const step = new Step((ask) => client.offerAside(ask));
      for (let request = await step.waits(); request !== null;)
        request = await step.answer(this.#complete(client, this.serve(client, request)));
    }
  }
  served(upstream: LogStore, request: Request): Reply {
    return upstream.serve(request);
  }
  /** The second chunk of a snapshot is of a later moment where the answer was delayed. */
  #complete(client: Store, reply: Reply): Reply {
    if (reply.kind !== 'whole' || reply.parts.length > 1) return reply;
    const [first] = reply.parts;
    const upstream = this.up.get(client) as LogStore;
    if (first === undefined || this.revoked.has(client)) return refused(403, 'origin_not_allowed');
    const last = upstream.part(1);
    const pages: Page[] = [];
    for (let after = first.seq; after < last.seq;) {
      const page = upstream.serve({
        kind: 'pull',
        after,
        limit: 50,
        witness: `${first.epoch};${first.seq};${first.chain}`,
      });
      if (page.kind !== 'page') return page;
      pages.push(page.body);
      after = page.body.to;
    }
    return { ...reply, parts: [first, last], pages };
  }
  async exchange(
    client: Store,
    kind: 'push' | 'pull',
    limit: number,
    fault: Fault = 'none',
  ): Promise<void> {
    const step = new Step((ask) => client.exchange(kind, limit, ask));
    const request = await step.waits();
    if (request === null) return;
    if (request.kind === 'push') this.onSend(client, request);
    if (fault === 'lost-request') return;
    if (fault === 'delay-request')
      return void this.#net.push({ client, step, request, reply: undefined });
    if (fault === 'html')
      return void (await step.answer({ kind: 'unreadable', status: 200, reason: 'not JSON' }));
    if (fault === 'busy') return void (await step.answer(refused(429, 'rate_limited')));
    // An answer that comes twice finds a second step that asked the same.
    const twice =
      fault === 'dup-response' ? new Step((ask) => client.exchange(kind, limit, ask)) : undefined;
    await twice?.waits();
    const first = this.serve(client, request);
    if (fault === 'dup-request') this.serve(client, request);
    if (fault === 'lost-response') return;
    if (fault === 'delay-response')
      return void this.#net.push({ client, step, request, reply: first });
    const reply = this.#complete(client, first);
    if (fault === 'truncate' && reply.kind === 'page' && reply.body.n > 0)
      return void (await step.answer({
        ...reply,
        body: { ...reply.body, changes: reply.body.changes.slice(0, -1) },
      }));
    if (fault === 'crash') return this.#crash(client, step, reply);
    await step.answer(reply);
    if (twice !== undefined && twice.request !== null) await twice.answer(reply);
  }
  /** The client's process ends before what it makes of the answer is on its disk. */
  async #crash(client: Store, step: Step, reply: Reply): Promise<void> {
    client.crashing = true;
    try {
      await step.answer(reply);
    } catch (error) {
      if (!(error instanceof CrashError)) throw error;
    }
    client.crashing = false;
    client.restart();
  }
  onSend(_client: Store, _request: Request): void {}
  protected async deliver(which: number): Promise<void> {
    const [message] = this.#net.splice(which % Math.max(1, this.#net.length), 1);
    if (message === undefined) return;
    const { client, step, request, reply } = message;
    await step.answer(this.#complete(client, reply ?? this.serve(client, request)));
  }
  /** The faults end: nothing is under way any more, and everybody may speak. */
  heal(): void {
    this.revoked.clear();
    this.down.clear();
    this.#net = [];
  }
}
