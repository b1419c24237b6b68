/**
 * Plays the load of a site's desktops and agents on its servers, the same way for the same seed.
 */
import { backoff } from '../../../src/sync/loop.ts';
import { seeded, type Random } from '../../support/random.ts';
import type { RequestKind } from './costs.ts';
import {
  type Account,
  type Caller,
  KINDS,
  LIMITS,
  limitsOf,
  partOf,
  Servers,
  type StationKind,
  WARM_UP_MS,
} from './servers.ts';
import type { Site } from './site.ts';
import { Timeline } from './stations.ts';

const DEBOUNCE_MS = 300;
/** An instance tells a stream its news at most once in this time, in rounds. */
const [GATHER_MS, ROUND_MS] = [1_000, 100];
const POLL_MS = 60_000;
/** Longest wait after failures where somebody has worked in the last five minutes. */
const ATTENDED_MS = 30_000;

interface Team extends Account {
  /** When each change was made; its place is its sequence. */
  log: { at: number; by: Desktop | undefined }[];
  desktops: Desktop[];
}
interface Desktop extends Caller {
  team: Team;
  known: number;
  /** What its server does not have yet. */
  unsent: number[];
  isPushing: boolean;
  isDebouncing: boolean;
  isReading: boolean;
  readAgain: boolean;
  isListening: boolean;
  failures: number;
  toldAt: number;
  isTold: boolean;
}

export interface Outcome {
  /** From an edit to its arrival at each other desktop of the team, ms. */
  delays: number[];
  edits: number;
  counts: Servers['counts'];
  stations: Servers['stations'];
  /** Waiting at each kind of station, each second. */
  waiting: Record<StationKind, number[]>;
  /** Milliseconds of places used in the time that was counted. */
  used: Record<StationKind, number>;
  /** After an outage: until all listen again, and until all that waited was sent. Milliseconds. */
  listeningAfter: number | undefined;
  sentAfter: number | undefined;
}

class Simulation {
  readonly #site: Site;
  readonly #time = new Timeline();
  readonly #random: Random;
  readonly #servers: Servers;
  readonly #desktops: Desktop[] = [];
  readonly #outcome: Outcome;

  constructor(site: Site, seed: number) {
    this.#site = site;
    this.#random = seeded(seed);
    this.#servers = new Servers(site, this.#time, this.#random);
    this.#outcome = {
      delays: [],
      edits: 0,
      counts: this.#servers.counts,
      stations: this.#servers.stations,
      waiting: { threads: [], pools: [], database: [] },
      used: { threads: 0, pools: 0, database: 0 },
      listeningAfter: undefined,
      sentAfter: undefined,
    };
    const part = (whole: number): number => partOf(site, whole);
    this.#people(part(site.desktops));
    this.#programs(part(site.agents));
  }

  /** Until the next of events that come by chance. */
  #chance = (mean: number): number => -Math.log(1 - this.#random.int(1_000_000) / 1_000_000) * mean;

  #people(count: number): void {
    const { teamSize, editsPerMinute, isRegular } = this.#site;
    const every = 60_000 / editsPerMinute;
    for (let n = 0; n < count; n += 1) {
      const first = n % teamSize === 0;
      const team = first ? this.#newTeam(n / teamSize) : this.#desktops.at(-1)!.team;
      const desktop: Desktop = {
        team,
        limits: limitsOf(LIMITS.key),
        known: 0,
        unsent: [],
        isPushing: false,
        isDebouncing: false,
        isReading: false,
        readAgain: false,
        isListening: true,
        failures: 0,
        toldAt: -Infinity,
        isTold: false,
      };
      team.desktops.push(desktop);
      this.#desktops.push(desktop);
      team.instance.streams += 1;
      const edit = (): void => {
        this.#edit(desktop);
        this.#time.after(isRegular ? every : this.#chance(every), edit);
      };
      this.#time.after(isRegular ? (every * n) / count : this.#chance(every), edit);
      const poll = (): void => {
        if (desktop.isListening) this.#ask(desktop, 'unchanged', () => undefined);
        this.#time.after(POLL_MS, poll);
      };
      this.#time.after(this.#random.int(POLL_MS), poll);
    }
  }

  #newTeam(n: number): Team {
    return { ...this.#servers.account(n), log: [], desktops: [] };
  }

  #programs(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const team = this.#random.pick(this.#desktops).team;
      const limits = limitsOf(LIMITS.key);
      const act = (): void => {
        const kind = this.#random.chance(0.3) ? 'write' : 'read';
        this.#servers.request({ team, limits }, { kind, changes: 1 }, (ok) => {
          if (ok && kind === 'write') this.#committed(team, [this.#time.now], undefined);
        });
        this.#time.after(this.#chance(1_000 / this.#site.agentRate), act);
      };
      this.#time.after(this.#chance(1_000), act);
    }
  }

  #ask(desktop: Desktop, kind: RequestKind, then: (ok: boolean) => void, changes = 1): void {
    this.#servers.ask(desktop, { kind, changes }, then);
  }

  #edit(desktop: Desktop): void {
    if (this.#time.now > WARM_UP_MS) this.#outcome.edits += 1;
    desktop.unsent.push(this.#time.now);
    if (desktop.isDebouncing) return;
    desktop.isDebouncing = true;
    this.#time.after(DEBOUNCE_MS, () => {
      desktop.isDebouncing = false;
      this.#push(desktop);
    });
  }

  #push(desktop: Desktop): void {
    if (desktop.isPushing || desktop.unsent.length === 0) return;
    desktop.isPushing = true;
    const sent = desktop.unsent.length;
    const then = (ok: boolean): void => {
      desktop.isPushing = false;
      if (!ok) return this.#later(desktop, () => this.#push(desktop));
      desktop.failures = 0;
      const { team } = desktop;
      const isBehind = desktop.known < team.log.length;
      this.#committed(team, desktop.unsent.splice(0, sent), desktop);
      if (isBehind) this.#read(desktop);
      else desktop.known = team.log.length;
      this.#push(desktop);
    };
    this.#ask(desktop, 'push', then, sent);
  }

  #later(desktop: Desktop, again: () => void): void {
    desktop.failures += 1;
    const random = this.#random.int(1_000_000) / 1_000_000;
    this.#time.after(backoff(desktop.failures, null, random, ATTENDED_MS), again);
  }

  /** Tells the team's streams. */
  #committed(team: Team, made: readonly number[], by: Desktop | undefined): void {
    for (const at of made) team.log.push({ at, by });
    for (const desktop of team.desktops) {
      if (desktop.isTold || !desktop.isListening) continue;
      desktop.isTold = true;
      const wait = Math.max(0, desktop.toldAt + GATHER_MS - this.#time.now);
      this.#time.after(wait + this.#random.int(ROUND_MS), () => {
        desktop.isTold = false;
        desktop.toldAt = this.#time.now;
        if (desktop.isListening && desktop.known < team.log.length) this.#read(desktop);
      });
    }
  }

  #read(desktop: Desktop): void {
    if (desktop.isReading) {
      desktop.readAgain = true;
      return;
    }
    desktop.isReading = true;
    const { log } = desktop.team;
    this.#ask(desktop, 'changes', (ok) => {
      desktop.isReading = false;
      if (!ok) return this.#later(desktop, () => this.#read(desktop));
      for (const { at, by } of log.slice(desktop.known))
        if (by !== undefined && by !== desktop && at > WARM_UP_MS)
          this.#outcome.delays.push(this.#time.now - at);
      desktop.known = log.length;
      if (!desktop.readAgain) return;
      desktop.readAgain = false;
      this.#read(desktop);
    });
  }

  /** Opens its event stream, and sees what it has missed. */
  #listenTo(desktop: Desktop): void {
    const { instance } = desktop.team;
    const again = (): void => this.#later(desktop, () => this.#listenTo(desktop));
    if (instance.streams >= this.#site.streams) {
      this.#servers.counts.refused += 1;
      return again();
    }
    this.#ask(desktop, 'stream', (ok) => {
      if (!ok) return again();
      desktop.isListening = true;
      desktop.failures = 0;
      instance.streams += 1;
      this.#ask(desktop, 'hello', () =>
        this.#ask(desktop, 'moved', () => {
          this.#read(desktop);
          this.#push(desktop);
        }),
      );
    });
  }

  #breakOff(): void {
    for (const { team } of this.#desktops) team.instance.streams = 0;
    for (const desktop of this.#desktops) {
      desktop.isListening = false;
      this.#later(desktop, () => this.#listenTo(desktop));
    }
  }

  /** Notes, each second, what waits where and whether all is well again. */
  #watch(end: number): void {
    const { stations, waiting } = this.#outcome;
    const { outage } = this.#site;
    const look = (): void => {
      for (const kind of KINDS)
        waiting[kind].push(stations[kind].reduce((sum, station) => sum + station.waiting, 0));
      if (outage !== undefined && this.#time.now >= outage.to) this.#lookAfter(outage.to);
      if (this.#time.now < end) this.#time.after(1_000, look);
    };
    this.#time.after(WARM_UP_MS, look);
  }
  #lookAfter(to: number): void {
    const outcome = this.#outcome;
    const { now } = this.#time;
    if (this.#desktops.every(({ isListening }) => isListening)) outcome.listeningAfter ??= now - to;
    // What was written before the end of the outage.
    if (this.#desktops.every(({ unsent }) => unsent.every((at) => at > to)))
      outcome.sentAfter ??= now - to;
  }

  run(): Outcome {
    const { lasts, outage } = this.#site;
    const end = WARM_UP_MS + lasts;
    if (outage !== undefined) this.#time.after(outage.from, () => this.#breakOff());
    this.#watch(end);
    const usedUntilNow = (kind: StationKind): number =>
      this.#outcome.stations[kind].reduce((sum, station) => sum + station.used, 0);
    this.#time.runUntil(WARM_UP_MS);
    for (const kind of KINDS) this.#outcome.used[kind] = -usedUntilNow(kind);
    this.#time.runUntil(end);
    for (const kind of KINDS) this.#outcome.used[kind] += usedUntilNow(kind);
    return this.#outcome;
  }
}

export const simulate = (site: Site, seed: number): Outcome => new Simulation(site, seed).run();
