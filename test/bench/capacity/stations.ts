/** Time that passes from event to event: nothing here knows a clock. Milliseconds. */
export class Timeline {
  now = 0;
  #order = 0;
  readonly #heap: { at: number; order: number; act: () => void }[] = [];

  after(ms: number, act: () => void): void {
    const heap = this.#heap;
    const event = { at: this.now + ms, order: (this.#order += 1), act };
    let at = heap.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (isBefore(heap[above]!, event)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = event;
  }

  #take(): { at: number; act: () => void } {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (isBefore(last, heap[below]!)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }

  /** Lets everything happen until then. */
  runUntil(end: number): void {
    while (this.#heap.length > 0 && this.#heap[0]!.at <= end) {
      const { at, act } = this.#take();
      this.now = at;
      act();
    }
    this.now = end;
  }
}
const isBefore = (a: { at: number; order: number }, b: { at: number; order: number }): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);

interface Waiting {
  since: number;
  go(): void;
  /** Called in place of `go` once it has waited for too long. */
  giveUp: (() => void) | undefined;
}

/**
 * Places that are held for a while, such as cores, connections or a thread; who finds none free
 * waits in order.
 */
export class Station {
  readonly #time: Timeline;
  readonly places: number;
  readonly #patience: number;
  #held = 0;
  #queue: Waiting[] = [];
  #head = 0;
  #usedMs = 0;
  #heldSince = 0;
  readonly waits: number[] = [];
  longest = 0;
  gaveUp = 0;

  /** `patience`: how long anybody waits, ms. */
  constructor(time: Timeline, places: number, patience = Infinity) {
    [this.#time, this.places, this.#patience] = [time, places, patience];
  }

  get waiting(): number {
    return this.#queue.length - this.#head;
  }
  /** Milliseconds of places used until now. */
  get used(): number {
    return this.#usedMs + this.#held * (this.#time.now - this.#heldSince);
  }
  #change(by: number): void {
    this.#usedMs += this.#held * (this.#time.now - this.#heldSince);
    this.#heldSince = this.#time.now;
    this.#held += by;
  }

  /** Calls `go` with a place, which `leave` gives back. */
  enter(go: () => void, giveUp?: () => void): void {
    if (this.#held < this.places) {
      this.#change(1);
      this.waits.push(0);
      go();
      return;
    }
    this.#queue.push({ since: this.#time.now, go, giveUp });
    this.longest = Math.max(this.longest, this.waiting);
  }

  leave(): void {
    this.#change(-1);
    while (this.waiting > 0) {
      const { since, go, giveUp } = this.#queue[this.#head]!;
      this.#head += 1;
      if (this.#head > 1_024) {
        this.#queue = this.#queue.slice(this.#head);
        this.#head = 0;
      }
      const waited = this.#time.now - since;
      if (waited > this.#patience) {
        this.gaveUp += 1;
        giveUp?.();
        continue;
      }
      this.waits.push(waited);
      this.#change(1);
      go();
      return;
    }
  }

  /** Holds a place for so long. */
  use(ms: number, then: () => void): void {
    this.enter(() =>
      this.#time.after(ms, () => {
        this.leave();
        then();
      }),
    );
  }
}

/** An allowance that refills: as many at once as in a second. */
export class Allowance {
  readonly #perSecond: number;
  #tokens: number;
  #at = 0;
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
  }
  take(now: number): boolean {
    const grown = ((now - this.#at) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + grown);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
