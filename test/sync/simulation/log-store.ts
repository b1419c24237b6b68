import {
  type Driven,
  type DriverState,
  freshState,
  type StepOutcome,
} from '../../../src/sync/driver/ports.ts';
import { compare, pullOnce, recover } from '../../../src/sync/driver/pull.ts';
import { offerAside } from '../../../src/sync/driver/push.ts';
import { freshLink, type LinkRow } from '../../../src/sync/link.ts';
import type { Core } from './core.ts';
import { actionOf, drivenBy, MOST, untilAsked } from './driving.ts';
import { type Ears, Log } from './log.ts';
import { type Held, LogPort } from './log-port.ts';
import type { Ask } from './messages.ts';

/** What a backup holds. */
export type Saved = Pick<
  LogStore,
  'epoch' | 'hlc' | 'log' | 'chain' | 'digest' | 'held' | 'views' | 'link' | 'damaged' | 'aside'
>;

/**
 * A hub or the hosted server: a log by numbers, views of it, and a link to its own upstream where
 * it has one.
 */
export class LogStore extends Log {
  link: LinkRow | null = null;
  damaged = new Set<string>();
  /** Of this process alone: the link diverged and the ancestor is to be asked for. */
  recovering = false;
  driver: DriverState = freshState(MOST);
  /** Changes that the upstream failed on (R12). */
  aside = new Set<string>();
  readonly port: LogPort;
  /** The process ends before what it stores next is on the disk. */
  crashing = false;
  verified = false;

  constructor(name: string, core: Core, ears: Ears, linked: boolean) {
    super(name, core, ears);
    if (linked) this.link = freshLink(this.boot);
    this.port = new LogPort(this);
  }

  // ---- keeping
  save(): Saved {
    const { epoch, hlc, digest, link } = this;
    return {
      epoch,
      hlc,
      digest,
      link,
      log: [...this.log],
      chain: [...this.chain],
      held: new Map(this.held),
      views: this.views.copy(),
      damaged: new Set(this.damaged),
      aside: new Set(this.aside),
    };
  }
  /**
   * A backup brings back the data, never the program: the schema stays, and what is held is
   * classified again (S6).
   */
  load(saved: Saved): void {
    Object.assign(this, LogStore.prototype.save.call(saved as LogStore));
    this.restart();
    this.classifyAgain();
  }
  restart(): void {
    this.boot = `b${this.ears.fresh()}`;
    if (this.link !== null) this.link = { ...this.link, boot: this.boot, rev: this.link.rev + 1 };
    this.recovering = false;
    this.driver = freshState(MOST);
    this.dirty = true;
  }
  upgrade(): void {
    this.schema += 1;
    this.restart();
    this.classifyAgain();
  }

  // ---- as a client
  /** One request of the link, as the driver makes it, and what comes of the answer. */
  async exchange(kind: 'push' | 'pull', limit: number, ask: Ask): Promise<void> {
    if (this.link === null) return;
    // What was written before the first contact may be there already: their names are offered
    // first.
    if (this.link.epoch === '' && this.link.rev === 0)
      this.link = { ...this.link, again_to: this.log.length };
    const link = drivenBy(this, this.port, limit, ask);
    if (this.recovering) return this.settle(await this.recover(link));
    if (kind === 'push') return this.settle(await untilAsked(link));
    const pulled = await pullOnce(link);
    this.settle(pulled);
    if (pulled.kind === 'done' && pulled.page !== undefined) {
      const verdict = await compare(link, pulled.page);
      if (verdict === 'offered') this.differs();
      if (verdict === 'equal') this.verified = true;
    }
  }
  async recover(link: Driven): Promise<StepOutcome> {
    const outcome = await recover(link);
    if (outcome.kind === 'again') {
      this.recovering = false;
      this.ears.count('recovered');
    }
    return outcome;
  }
  settle(outcome: StepOutcome): void {
    const action = actionOf(this.core, outcome);
    if (action === 'recover') this.recovering = true;
    else if (action === 'block') this.block();
  }
  /** After an upgrade what was set aside is offered again. */
  async offerAside(ask: Ask): Promise<void> {
    if (this.link === null || this.recovering) return;
    this.driver.offer = true;
    await offerAside(drivenBy(this, this.port, MOST, ask), false);
  }
  isFrom(held: Held, link: LinkRow): boolean {
    return held.origin === this.core.originOf(link);
  }
  /**
   * Own changes after the push position that did not come from there; `to` is the last one looked
   * at.
   */
  tail(link: LinkRow, limit: number, end: number): { ids: string[]; to: number } {
    const ids: string[] = [];
    let to = link.push_pos;
    for (; to < end; to += 1) {
      const held = this.held.get(this.log[to] as string) as Held;
      if (this.damaged.has(held.id) || this.aside.has(held.id) || this.isFrom(held, link)) continue;
      if (ids.length >= limit) break;
      ids.push(held.id);
    }
    return { ids, to };
  }
  setAside(id: string): void {
    this.aside.add(id);
    this.ears.count('aside');
  }
  block(): void {
    this.ears.count('blocked');
  }
  /** R7 never comes to this unless something is broken. */
  differs(): void {
    this.ears.alarm(this.name, 'R7 the sets differ though nothing is under way');
  }
}
