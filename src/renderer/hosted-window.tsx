import { STUDIO_PAGES } from '../shared/contract/page-addresses.ts';
import { flushSync } from 'react-dom';
import type { Root } from 'react-dom/client';
import { z } from 'zod';
import { SignedOut, type SignedOutProps } from './app/SignedOut.tsx';
import type { Closed, Copies, OpenCopy } from './data/copies/copies.ts';
import type { DataLayer } from './data/data-layer.ts';
import { PersonalTexts } from './state/personal-texts.ts';
import { rememberIn } from './state/stored.ts';

const CHANNEL = 'evidence-studio-copies';
/** Of a copy, by its database: its person signs out, or has had a text remembered. */
const Message = z.union([
  z.strictObject({ signingOut: z.string() }),
  z.strictObject({ remembers: z.string(), key: z.string() }),
]);
/** How often it is asked whether this person may still see what is here. Milliseconds. */
const CHECK_MS = 60_000;
/**
 * What is remembered of somebody's work, as opposed to how they like the editor. Drafts of
 * profiles, which hold no evidence, are no part of it.
 */
const REMEMBERED =
  /^evidence-studio\.(?:places$|report\.|review\.|views\.|paste-words$|import-columns$|recent-commands$)/;

/**
 * The window of a hosted server's page: it shows what it keeps of a person as long as that person
 * is signed in, and takes it away at sign-out.
 */
export class HostedWindow {
  readonly #root: Root;
  readonly #copies: Copies;
  readonly #copy: OpenCopy;
  readonly #channel = new BroadcastChannel(CHANNEL);
  readonly #texts: PersonalTexts;
  #data: DataLayer | undefined;
  #studio: React.ReactNode;
  #out: Closed | null = null;
  #isLeaving = false;

  constructor(root: Root, copies: Copies, copy: OpenCopy) {
    this.#root = root;
    this.#copies = copies;
    this.#copy = copy;
    this.#texts = new PersonalTexts((key) =>
      this.#channel.postMessage({ remembers: copy.database, key }),
    );
    this.#channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      const message = Message.safeParse(data).data;
      if (message === undefined) return;
      if ('remembers' in message) {
        if (message.remembers === copy.database) this.#texts.heard(message.key);
      } else if (message.signingOut === copy.database) void this.#hide('signing_out');
    });
    window.addEventListener('beforeunload', (event) => {
      if (!this.#isLeaving && !copy.isKept && this.#unsent > 0) event.preventDefault();
    });
    setInterval(() => void this.#check(), CHECK_MS);
  }

  get #unsent(): number {
    const totals = this.#data?.overview.totals;
    return totals === undefined ? 0 : totals.storing + totals.waiting + totals.blocked;
  }

  /** What was heard of who is signed in. */
  heard(now: 'here' | 'signed_out' | 'other_person'): void {
    if (now !== 'here') void this.#hide(now);
    else if (this.#out !== null && this.#data !== undefined) {
      this.#out = null;
      this.#root.render(this.#studio);
    }
  }

  async show(data: DataLayer, studio: React.ReactNode): Promise<void> {
    await this.#remember(data);
    this.#data = data;
    this.#studio = studio;
    if (this.#out === null) this.#root.render(studio);
    else await this.#putAway(this.#out);
  }

  /**
   * What is remembered of a person's work is that person's alone; what earlier versions left where
   * everybody can read it goes.
   */
  async #remember({ ui }: Pick<DataLayer, 'ui'>): Promise<void> {
    await this.#texts.read(ui);
    rememberIn(this.#texts, (key) => REMEMBERED.test(key));
    for (const key of Object.keys(localStorage))
      if (REMEMBERED.test(key)) localStorage.removeItem(key);
  }

  async #check(): Promise<void> {
    if (this.#out !== null || this.#isLeaving) return;
    const why = await this.#copies.check(this.#copy);
    if (why !== undefined) await this.#hide(why);
  }

  #render(props: Omit<SignedOutProps, 'isWindowOnly'>): void {
    // At once, so that nothing of the work is on the page from here on.
    flushSync(() => this.#root.render(<SignedOut {...props} isWindowOnly={!this.#copy.isKept} />));
  }

  async #hide(why: Closed): Promise<void> {
    if (this.#out !== null || this.#isLeaving) return;
    this.#out = why;
    // What is being typed is recorded when its field is left.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    await new Promise((resolve) => setTimeout(resolve));
    this.#render({ why, unsent: null });
    await this.#putAway(why);
  }
  async #putAway(why: Closed): Promise<void> {
    const data = this.#data;
    if (data === undefined) return;
    await data.settled();
    if (this.#out === null) return;
    const unsent = this.#unsent;
    // Its key ends with the window: until what is unsent can be sent, it stays in memory, where
    // nobody sees it.
    if (this.#copy.isKept || unsent === 0) {
      this.#data = undefined;
      await data.closeSettled();
      await this.#copies.putAway(this.#copy, why);
    }
    if (this.#out !== null) this.#render({ why, unsent });
  }

  /** Ends what this browser keeps of the person, and the session. */
  async signOut(saved: ReadonlySet<string>): Promise<void> {
    const data = this.#data;
    if (data === undefined) return;
    this.#isLeaving = true;
    this.#render({ why: 'signing_out', unsent: null });
    this.#channel.postMessage({ signingOut: this.#copy.database });
    await data.closeSettled();
    const done = await this.#copies.signOut(this.#copy, saved);
    if (done === 'done') window.location.assign(STUDIO_PAGES.projects);
    else this.#render({ why: done, unsent: null });
  }
}
