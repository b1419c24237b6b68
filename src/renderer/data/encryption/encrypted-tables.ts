import Dexie, {
  type DBCore,
  type DBCoreCursor,
  type DBCoreKeyRange,
  type DBCoreMutateRequest,
  type DBCoreTable,
  type DBCoreTableSchema,
} from 'dexie';
import { pack, unpack } from './pack.ts';
import type { RowCipher } from './cipher.ts';
import { t } from '../../text/t.ts';

/**
 * What of a row stands beside its encrypted content, because the database has to find it: its key
 * and the fields of its indexes. Of these only numbers and the texts named here are left as they
 * are: ids of changes and transactions, which are random, and the state of changes. Every other
 * text is hidden: ids of cases, people and items are made by people.
 */
const CLEAR: Readonly<Record<string, readonly string[]>> = {
  outbox: ['id', 'state'],
  sent: ['id'],
  quarantined: ['id'],
  gestures: ['id', 'stack'],
};
const CONTENT = 'sealed';

/** The record of `meta` that says by which key the others are encrypted. */
export const KEY_RECORD = 'seal';
const isKeyRecord = (table: string, key: unknown): boolean =>
  table === 'meta' && key === KEY_RECORD;

/**
 * The stored copy was made under another key than this window has, after the browser threw the
 * first one away: nothing may be written into it.
 */
export class OtherKeyError extends Error {
  override name = 'OtherKeyError';
}

type PlainRow = Record<string, unknown>;
type KeyPath = null | string | string[];

const DAMAGED = t('The copy on this device is damaged (it cannot be opened).');
const pathsOf = (keyPath: KeyPath): readonly string[] =>
  keyPath === null ? [] : typeof keyPath === 'string' ? [keyPath] : keyPath;
const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Rows and keys of one table, on their way to the database and back. */
class TableCipher {
  readonly #name: string;
  readonly #cipher: RowCipher;
  readonly #fields: readonly string[];
  /**
   * Name of the key that the database itself numbers, which is not known when a new row is
   * encrypted.
   */
  readonly #given: string | undefined;

  constructor({ name, primaryKey, indexes }: DBCoreTableSchema, cipher: RowCipher) {
    this.#name = name;
    this.#cipher = cipher;
    this.#fields = [
      ...new Set([primaryKey, ...indexes].flatMap(({ keyPath }) => pathsOf(keyPath))),
    ];
    this.#given = primaryKey.autoIncrement === true ? pathsOf(primaryKey.keyPath)[0] : undefined;
  }

  #isHidden(field: string, value: unknown): value is string {
    // The end of a range may be a text.
    return (
      typeof value === 'string' &&
      value !== Dexie.maxKey &&
      CLEAR[this.#name]?.includes(field) !== true &&
      !isKeyRecord(this.#name, value)
    );
  }
  #hide(field: string, value: unknown): unknown {
    return this.#isHidden(field, value) ? this.#cipher.hide(value) : value;
  }
  #show(field: string, value: unknown): unknown {
    return this.#isHidden(field, value) ? (this.#cipher.show(value) ?? value) : value;
  }
  #key(keyPath: KeyPath, key: unknown, turn: (field: string, value: unknown) => unknown): unknown {
    const paths = pathsOf(keyPath);
    return Array.isArray(keyPath) && Array.isArray(key)
      ? key.map((part: unknown, place) => turn(paths[place] ?? '', part))
      : turn(paths[0] ?? '', key);
  }
  hideKey(keyPath: KeyPath, key: unknown): unknown {
    return this.#key(keyPath, key, (field, value) => this.#hide(field, value));
  }
  showKey(keyPath: KeyPath, key: unknown): unknown {
    return this.#key(keyPath, key, (field, value) => this.#show(field, value));
  }

  /** Hidden texts have no order: a range may name one, or all of them, and nothing between. */
  hideRange(keyPath: KeyPath, range: DBCoreKeyRange): DBCoreKeyRange {
    const bounds = [range.lower, range.upper] as const;
    if (bounds.every((bound) => bound === undefined)) return range;
    const [lower, upper] = bounds.map((bound: unknown): unknown[] =>
      Array.isArray(keyPath) && Array.isArray(bound) ? bound : [bound],
    );
    const apart = pathsOf(keyPath).findIndex(
      (field, place) =>
        lower?.[place] !== upper?.[place] &&
        [lower?.[place], upper?.[place]].some((part) => this.#isHidden(field, part)),
    );
    if (apart >= 0)
      throw new TypeError(
        `${this.#name}.${pathsOf(keyPath)[apart]} is encrypted and has no order.`,
      );
    return {
      ...range,
      lower: this.hideKey(keyPath, range.lower),
      upper: this.hideKey(keyPath, range.upper),
    };
  }

  #about(stored: PlainRow): string {
    return JSON.stringify([
      this.#name,
      ...this.#fields
        .filter((field) => field !== this.#given && field in stored)
        .map((field) => [field, stored[field]]),
    ]);
  }

  encrypt(row: PlainRow): PlainRow {
    if (isKeyRecord(this.#name, row['key'])) return row;
    const stored: PlainRow = Object.fromEntries(
      this.#fields
        .filter((field) => row[field] !== undefined)
        .map((field) => [field, this.#hide(field, row[field])]),
    );
    return { ...stored, [CONTENT]: this.#cipher.encrypt(pack(row), this.#about(stored)) };
  }

  /**
   * A row that cannot be decrypted is never taken for absent: what is returned for it fails every
   * check, and an unsent change is marked as damaged.
   */
  decrypt(stored: unknown): unknown {
    if (typeof stored !== 'object' || stored === null) return stored;
    const { [CONTENT]: encrypted, ...beside } = stored as PlainRow;
    if (isKeyRecord(this.#name, beside['key'])) return stored;
    const content =
      encrypted instanceof Uint8Array
        ? this.#cipher.decrypt(encrypted, this.#about(beside))
        : undefined;
    const given: PlainRow = this.#given === undefined ? {} : { [this.#given]: beside[this.#given] };
    if (content !== undefined) return { ...(unpack(content) as PlainRow), ...given };
    const left: PlainRow = Object.fromEntries(
      Object.entries(beside).map(([field, value]) => [field, this.#show(field, value)]),
    );
    if (this.#name !== 'outbox') return left;
    // The encrypted bytes become its text, so that they can be exported.
    return {
      created: 0,
      case_uid: '',
      user: '',
      ...left,
      text: encrypted instanceof Uint8Array ? `sealed:${toBase64(encrypted)}` : '',
      bytes: 0,
      state: 'damaged',
      reason: DAMAGED,
    };
  }

  cursor(cursor: DBCoreCursor, keyPath: KeyPath, primary: KeyPath): DBCoreCursor {
    const get = (read: () => unknown): PropertyDescriptor => ({ get: read });
    return Object.create(cursor, {
      key: get(() => this.showKey(keyPath, cursor.key)),
      primaryKey: get(() => this.showKey(primary, cursor.primaryKey)),
      value: get(() => this.decrypt(cursor.value)),
      continue: {
        value: (key?: unknown) =>
          key === undefined ? cursor.continue() : cursor.continue(this.hideKey(keyPath, key)),
      },
      continuePrimaryKey: {
        value: (key: unknown, own: unknown) =>
          cursor.continuePrimaryKey(this.hideKey(keyPath, key), this.hideKey(primary, own)),
      },
    }) as DBCoreCursor;
  }
}

function hideRequest(
  request: DBCoreMutateRequest,
  tableCipher: TableCipher,
  primary: KeyPath,
): DBCoreMutateRequest {
  if (request.type === 'delete')
    return {
      ...request,
      keys: request.keys.map((key: unknown) => tableCipher.hideKey(primary, key)),
    };
  if (request.type === 'deleteRange')
    return { ...request, range: tableCipher.hideRange(primary, request.range) };
  return { ...request, values: request.values.map((row: PlainRow) => tableCipher.encrypt(row)) };
}

function encryptTable(table: DBCoreTable, cipher: RowCipher): DBCoreTable {
  const tableCipher = new TableCipher(table.schema, cipher);
  const primary = table.schema.primaryKey.keyPath;
  return {
    ...table,
    mutate: (request) =>
      table.mutate(hideRequest(request, tableCipher, primary)).then((done) => {
        const shown = (key: unknown): unknown =>
          key === undefined ? undefined : tableCipher.showKey(primary, key);
        if (request.type === 'delete') return { ...done, results: request.keys };
        return {
          ...done,
          lastResult: shown(done.lastResult),
          ...(done.results !== undefined && { results: done.results.map(shown) }),
        };
      }),
    get: (request) =>
      table
        .get({ ...request, key: tableCipher.hideKey(primary, request.key) })
        .then((row: unknown) => tableCipher.decrypt(row)),
    getMany: (request) =>
      table
        .getMany({
          ...request,
          keys: request.keys.map((key: unknown) => tableCipher.hideKey(primary, key)),
        })
        .then((rows: unknown[]) => rows.map((row) => tableCipher.decrypt(row))),
    query: ({ query: { index, range }, ...request }) =>
      table
        .query({ ...request, query: { index, range: tableCipher.hideRange(index.keyPath, range) } })
        .then(({ result }) => ({
          result: result.map((found: unknown) =>
            request.values === true
              ? tableCipher.decrypt(found)
              : tableCipher.showKey(primary, found),
          ),
        })),
    openCursor: ({ query: { index, range }, ...request }) =>
      table
        .openCursor({
          ...request,
          query: { index, range: tableCipher.hideRange(index.keyPath, range) },
        })
        .then((cursor) =>
          cursor === null ? null : tableCipher.cursor(cursor, index.keyPath, primary),
        ),
    count: ({ query: { index, range }, ...request }) =>
      table.count({
        ...request,
        query: { index, range: tableCipher.hideRange(index.keyPath, range) },
      }),
  };
}

const isSame = (a: unknown, b: unknown): boolean => toBase64(pack(a)) === toBase64(pack(b));

/**
 * Closest to the database, so that everything above, Dexie's own parts too, sees rows as they are
 * meant.
 */
const INNERMOST = -10;

/**
 * Encrypts a whole database. Whenever it is created, also after the browser has evicted it under an
 * open window, a record names the key.
 */
export function encryptDatabase(
  db: Dexie,
  { cipher, record }: { cipher: RowCipher; record: unknown },
): void {
  encryptTables(db, cipher);
  db.on(
    'populate',
    (transaction) => void transaction.table('meta').add({ key: KEY_RECORD, value: record }),
  );
  db.on(
    'ready',
    async () => {
      const stored: unknown = await db.table('meta').get(KEY_RECORD);
      if (!isSame((stored as PlainRow | undefined)?.['value'], record))
        throw new OtherKeyError('The copy is encrypted by another key.');
    },
    true,
  );
}

export function encryptTables(db: Dexie, cipher: RowCipher): void {
  db.use({
    stack: 'dbcore',
    name: 'encrypted',
    level: INNERMOST,
    create: (core: DBCore): Partial<DBCore> => {
      const tables = new Map<string, DBCoreTable>();
      return {
        table(name) {
          const table = tables.get(name) ?? encryptTable(core.table(name), cipher);
          tables.set(name, table);
          return table;
        },
      };
    },
  });
}
