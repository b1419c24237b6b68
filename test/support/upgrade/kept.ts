/**
 * The stores of an earlier version that test/fixtures/stores keeps, unpacked for programs to open.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { PlainDatabase } from '../plain-database.ts';
import type { Answers } from './answers.ts';
import type { Exchanged } from './recorder.ts';
import { makeTables, type Rows, writeRows } from './rows.ts';

interface Secrets {
  pepper: string;
  uplink: string;
  secret: string;
  /** The key of a program on the server. */
  program: string;
}

export class KeptStores {
  readonly #folder: string;
  readonly secrets: Secrets;
  readonly answers: Record<'studio' | 'server', Answers>;
  readonly rows: Rows;
  /** The statements of its migrations, with white space reduced. */
  readonly migrations: Record<'sqlite' | 'postgres', string[][]>;
  /** What the studio and the server said to each other from there on. */
  readonly exchange: Exchanged[];

  constructor(version: string) {
    this.#folder = path.resolve(import.meta.dirname, '../../fixtures/stores', version);
    this.secrets = JSON.parse(this.#file('secrets.json').toString());
    this.answers = this.#packed('answers.json.gz');
    this.rows = this.#packed('rows.json.gz');
    this.migrations = this.#packed('migrations.json.gz');
    this.exchange = this.#packed('exchange.json.gz');
  }

  #file(name: string): Buffer {
    return readFileSync(path.join(this.#folder, name));
  }
  #packed<T>(name: string): T {
    return JSON.parse(gunzipSync(this.#file(name)).toString()) as T;
  }

  /** The studio's data folder. */
  unpackFolder(into: string): void {
    mkdirSync(into, { recursive: true, mode: 0o700 });
    const put = (name: string, content: string | Uint8Array): void =>
      writeFileSync(path.join(into, name), content, { mode: 0o600 });
    put('evidence.sqlite', gunzipSync(this.#file('evidence.sqlite.gz')));
    put('pepper.key', this.secrets.pepper);
    put('uplink.key', this.secrets.uplink);
  }

  /** By which the studio is connected. */
  get studioKey(): string {
    return this.secrets.uplink.trim().split(' ').at(-1) ?? '';
  }

  async unpackDatabase(into: PlainDatabase): Promise<void> {
    await makeTables(into.url, this.migrations.postgres);
    await writeRows(into, this.rows);
  }
}
