import { StoreError } from '../errors.ts';

/**
 * How often waits are looked at, ms. Time is counted in these steps, so that a process that was
 * stopped itself has not waited meanwhile.
 */
const TICK_MS = 250;

export interface Waits {
  /** Silence after which somebody asks whether the database answers at all, ms. */
  suspect: number;
  /** Longest wait for a connection, ms. */
  acquire: number;
  /** Longest silence within a transaction; the database itself ends a statement earlier. */
  answer: number;
  /** Longest transaction of one account. */
  transaction: number;
}
export const WAITS: Waits = {
  suspect: 2_000,
  acquire: 8_000,
  answer: 35_000,
  transaction: 120_000,
};

/**
 * What has been heard on a connection: answers awaited, and a count that grows with whatever comes.
 */
export interface Pulse {
  awaited: number;
  heard: number;
}

/** One who waits for the database: first for a connection, then for answers on it. */
export class Wait {
  /** None while it waits for a connection. */
  #pulse: Pulse | undefined;
  #heard = 0;
  #silent = 0;
  #age = 0;
  #end: (error: StoreError) => void;
  readonly #isLong: boolean;
  /** Why it was ended. */
  ended: StoreError | undefined;

  /**
   * `end` gives up what is waited for. `isLong`: upkeep of all accounts, which takes as long as it
   * takes.
   */
  constructor(end: (error: StoreError) => void, isLong: boolean) {
    this.#end = end;
    this.#isLong = isLong;
  }

  /** From here on it has a connection. */
  on(pulse: Pulse, end: (error: StoreError) => void): void {
    this.#pulse = pulse;
    this.#heard = pulse.heard;
    this.#silent = 0;
    this.#end = end;
  }

  get silent(): number {
    return this.#silent;
  }

  tick(waits: Waits): void {
    this.#age += TICK_MS;
    const pulse = this.#pulse;
    const isAnswered = pulse !== undefined && (pulse.awaited === 0 || pulse.heard !== this.#heard);
    this.#heard = pulse?.heard ?? 0;
    this.#silent = isAnswered ? 0 : this.#silent + TICK_MS;
    if (this.#silent >= (pulse === undefined ? waits.acquire : waits.answer))
      this.end(pulse === undefined ? 'The database server is busy. Try again.' : NO_ANSWER);
    else if (this.#age >= waits.transaction && !this.#isLong)
      this.end('This took the database server too long. Try again with less at once.');
  }

  end(message: string): void {
    if (this.ended !== undefined) return;
    this.ended = new StoreError('unavailable', message);
    this.#end(this.ended);
  }
}

export const NO_ANSWER = 'The database server does not answer.';

/**
 * Bounds every wait for the database. Whoever has heard nothing for a while makes it ask, on a
 * connection of its own, whether the database answers at all: if not, all who hear nothing are sent
 * away, and newcomers at once, until it does again.
 */
export class Watch {
  readonly #waits: Waits;
  readonly #answers: () => Promise<unknown>;
  readonly #waiting = new Set<Wait>();
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #isSilent = false;
  #isClosed = false;

  /** `answers` asks, and notes what it finds. */
  constructor(waits: Waits, answers: () => Promise<unknown>) {
    this.#waits = waits;
    this.#answers = answers;
  }

  /** Throws while the database does not answer. */
  begin(wait: Wait): void {
    if (this.#isSilent) throw new StoreError('unavailable', NO_ANSWER);
    this.#waiting.add(wait);
    this.#look();
  }

  #look(): void {
    if (this.#isClosed) return;
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  done(wait: Wait): void {
    this.#waiting.delete(wait);
    this.#rest();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const wait of this.#waiting) wait.end('The server is stopping.');
  }

  #rest(): void {
    if (this.#waiting.size > 0 || this.#isSilent) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    for (const wait of this.#waiting) wait.tick(this.#waits);
    if (this.#isSilent || [...this.#waiting].some(({ silent }) => silent >= this.#waits.suspect))
      void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#asking || this.#isClosed) return;
    this.#asking = true;
    await this.#answers();
    this.#asking = false;
  }

  /** What somebody has found out. */
  note(answers: boolean): void {
    this.#isSilent = !answers;
    // Whoever waited may be gone by now, and newcomers are sent away: it is asked all the same.
    if (this.#isSilent) {
      this.#look();
      for (const wait of this.#waiting) if (wait.silent >= this.#waits.suspect) wait.end(NO_ANSWER);
    }
    this.#rest();
  }
}
