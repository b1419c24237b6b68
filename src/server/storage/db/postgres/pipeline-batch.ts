import type { Writable } from 'node:stream';
import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { Pulse } from './postgres-watch.ts';

const INT8 = 20;
const NUMERIC = 1700;

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError('A number from the database is not exact.');
  return value;
}

/** Sums of integers come as NUMERIC; no column has that type. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if ((oid === INT8 || oid === NUMERIC) && format !== 'binary') return toSafeInteger;
    return pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
  },
} as pg.CustomTypesConfig;

export interface StatementResult {
  rows: unknown[];
  /** The command and its number of rows, as PostgreSQL reports them. */
  command: string;
  count: number;
}

/** A statement and the promise of whoever waits for its answer. */
export interface PendingStatement {
  text: string;
  values: readonly unknown[];
  /** Rows as arrays. */
  asArrays: boolean;
  answered(answer: StatementResult): void;
  failed(error: unknown): void;
}

interface ResultColumn {
  name: string;
  parse(text: string): unknown;
}
interface Prepared {
  name: string;
  /**
   * The columns of the answer, once the server has described them; they stay the same for a
   * prepared statement.
   */
  columns: readonly ResultColumn[] | undefined;
}

/** Is prepared again each time. */
const unnamed = (): Prepared => ({ name: '', columns: undefined });

/**
 * How many statements a connection keeps prepared: nearly all that this program uses. There are few
 * texts, since none depends on a number of rows.
 */
const MAX_PREPARED = 1_000;
let generation = 0;

/** Generation of prepared statements; part of their names. */
export const preparation = (): number => generation;

/**
 * Makes every connection prepare its statements again under new names, if `since` is still the
 * current generation: a change of the tables spoils all of them.
 */
export function reprepare(since: number): void {
  if (since === generation) generation += 1;
}

/** What one connection has prepared. */
export class Preparations {
  #byText = new Map<string, Prepared>();
  #generation = generation;
  #named = 0;

  of(text: string): { prepared: Prepared; isNew: boolean } {
    // Each account has a text of its own.
    if (text.startsWith('SET LOCAL ')) return { prepared: unnamed(), isNew: true };
    if (this.#generation !== generation) {
      this.#generation = generation;
      this.#byText.clear();
    }
    const known = this.#byText.get(text);
    if (known !== undefined) return { prepared: known, isNew: false };
    if (this.#byText.size >= MAX_PREPARED) return { prepared: unnamed(), isNew: true };
    const prepared: Prepared = { name: `s${(this.#named += 1)}`, columns: undefined };
    this.#byText.set(text, prepared);
    return { prepared, isNew: true };
  }

  forget(text: string): void {
    this.#byText.delete(text);
  }
}

/** Values as they are bound: single ones by Kysely, arrays by bulk inserts. */
type BoundValue = string | number | bigint | boolean | Uint8Array | null | undefined;
const SPECIAL = /["\\]/;
const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function arrayText(values: readonly BoundValue[]): string {
  let text = '';
  for (const value of values) {
    if (text !== '') text += ',';
    if (value === null || value === undefined) text += 'NULL';
    else if (value instanceof Uint8Array) text += `"\\\\x${bytesOf(value).toString('hex')}"`;
    else if (typeof value === 'string')
      text += SPECIAL.test(value)
        ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
        : `"${value}"`;
    else text += value.toString();
  }
  return `{${text}}`;
}

function onWire(value: BoundValue | readonly BoundValue[]): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return arrayText(value as readonly BoundValue[]);
  return value instanceof Uint8Array ? bytesOf(value) : (value as string | number).toString();
}

/**
 * Several statements in one message to the server and their answers in one message back (pipelining
 * in PostgreSQL's protocol). There is one Sync at the end, so after a failure the server skips the
 * statements behind it. A transaction's BEGIN can therefore travel with its first statements and
 * its COMMIT with the last ones: each is executed only if everything before it succeeded.
 */
export class PipelineBatch extends pg.Query {
  readonly statements: readonly PendingStatement[];
  readonly #preparations: Preparations;
  readonly #pulse: Pulse;
  #isOver = false;
  readonly #prepared: { prepared: Prepared; isNew: boolean }[] = [];
  readonly #answers: (StatementResult | Error)[] = [];
  #rows: unknown[] = [];
  /** Why the current answer could not be decoded. */
  #unread: Error | undefined;

  constructor(statements: readonly PendingStatement[], preparations: Preparations, pulse: Pulse) {
    super('');
    this.statements = statements;
    this.#preparations = preparations;
    this.#pulse = pulse;
    pulse.awaited += 1;
  }

  #over(): void {
    this.#pulse.heard += 1;
    if (!this.#isOver) this.#pulse.awaited -= 1;
    this.#isOver = true;
  }

  override submit = (connection: unknown): void => {
    const messages: Buffer[] = [];
    for (const { text, values } of this.statements) {
      const found = this.#preparations.of(text);
      this.#prepared.push(found);
      const { name, columns } = found.prepared;
      if (found.isNew) messages.push(serialize.parse({ name, text }));
      messages.push(
        serialize.bind({ statement: name, values: (values as readonly BoundValue[]).map(onWire) }),
      );
      if (columns === undefined) messages.push(serialize.describe({ type: 'P' }));
      messages.push(serialize.execute());
    }
    messages.push(serialize.sync());
    const { stream } = connection as { stream: Writable };
    if (stream.writable) stream.write(Buffer.concat(messages));
  };

  #current(): Prepared {
    return this.#prepared[this.#answers.length]!.prepared;
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#current().columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#pulse.heard += 1;
    if (this.#unread !== undefined) return;
    const columns = this.#current().columns ?? [];
    try {
      const parsed = fields.map((field, index) =>
        field === null ? null : columns[index]!.parse(field),
      );
      this.#rows.push(
        this.statements[this.#answers.length]!.asArrays
          ? parsed
          : Object.fromEntries(columns.map(({ name }, index) => [name, parsed[index]])),
      );
    } catch (error) {
      this.#unread = error as Error;
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#pulse.heard += 1;
    this.#current().columns ??= [];
    const [command = ''] = text.split(' ', 1);
    this.#answers.push(
      this.#unread ?? {
        rows: this.#rows,
        command,
        count: Number(text.slice(text.lastIndexOf(' ') + 1)) || 0,
      },
    );
    this.#rows = [];
    this.#unread = undefined;
  }

  /**
   * Statements behind a failed one were not executed. Whether the failed one was prepared is not
   * known, so it is prepared again.
   */
  handleError(error: unknown): void {
    this.#over();
    const done = this.#answers.length;
    for (let index = done; index < this.statements.length; index += 1) {
      if (this.#prepared[index]?.isNew === true)
        this.#preparations.forget(this.statements[index]!.text);
    }
    this.#tell(done);
    for (const statement of this.statements.slice(done)) statement.failed(error);
  }

  handleReadyForQuery(): void {
    this.#over();
    this.#tell(this.statements.length);
  }

  #tell(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const answer = this.#answers[index]!;
      if (answer instanceof Error) this.statements[index]!.failed(answer);
      else this.statements[index]!.answered(answer);
    }
  }
}
