import pg from 'pg';

const ANSWER_MS = 3_000;
/** How long an answer is good for: whoever asks meanwhile is given it. */
const FRESH_MS = 500;

/**
 * Asks whether the database answers, on one connection of its own, so that neither a full pool nor
 * a connection that has died alone is taken for its silence.
 */
export class Probe {
  readonly #config: pg.ClientConfig;
  #client: pg.Client | undefined;
  #asked: Promise<boolean> | undefined;
  /** Why it did not answer. */
  failure: unknown;

  constructor(config: pg.ClientConfig) {
    this.#config = config;
  }

  answers(): Promise<boolean> {
    if (this.#asked === undefined) {
      const asked = this.#ask();
      this.#asked = asked;
      void asked.then(() => setTimeout(() => (this.#asked = undefined), FRESH_MS).unref());
    }
    return this.#asked;
  }

  async #ask(): Promise<boolean> {
    let client = this.#client;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('No answer.')), ANSWER_MS).unref();
    try {
      client ??= await Promise.race([this.#connect(), late.promise]);
      await Promise.race([client.query('SELECT 1'), late.promise]);
      return true;
    } catch (error) {
      this.failure = error;
      this.close();
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config);
    this.#client = client;
    // What ends while nobody asks is found out by the next question.
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    await client.connect();
    return client;
  }

  #forget(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
  }

  close(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.connection.stream.destroy();
  }
}
