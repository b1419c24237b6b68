/** Statements of servers of two versions that record cells in the same tables. */
import pg from 'pg';
import type { AccountId } from '../../../src/shared/contract/ids.ts';
import { accountNumber } from '../../../src/server/storage/db/postgres/account-number.ts';
import { isNumbered } from '../../../src/server/storage/db/schema/row-security.ts';

const AT = '2026-01-02T00:00:00.000Z';
type Row = Record<string, unknown>;
interface Place {
  case_pk: string;
  stream_pk: string;
  matrix_pk: string;
}

abstract class Writer {
  /** ms of the slowest transaction. */
  slowest = 0;
  written = 0;
  readonly account: string;
  readonly number: number;
  readonly #client: pg.Client;

  constructor(url: string, account: string) {
    this.account = account;
    this.number = accountNumber(account as AccountId);
    this.#client = new pg.Client({ connectionString: url });
  }

  async open(): Promise<this> {
    await this.#client.connect();
    return this;
  }
  async end(): Promise<void> {
    await this.#client.end();
  }

  async ask(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#client.query(statement, [...values])).rows as Row[];
  }

  /** In a transaction of the account; again after what the server tries again. */
  async within<T>(fn: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.ask('BEGIN');
      await this.ask(`SET LOCAL evidence_studio.account = '${this.account}'`);
      await this.settle();
      try {
        const answer = await fn();
        await this.ask('COMMIT');
        return answer;
      } catch (error) {
        await this.ask('ROLLBACK');
        const code = error instanceof pg.DatabaseError ? error.code : undefined;
        if (code !== '40P01' && code !== '40001' && code !== '23505') throw error;
      }
    }
  }

  /** Records a cell of an item and a rule that may be new. */
  async record(caseUid: string, item: string, rule: string): Promise<void> {
    const before = performance.now();
    await this.within(async () => {
      const [place] = await this.ask(this.place, [this.owner, caseUid]);
      for (const [statement, ...values] of this.statements(place as unknown as Place, item, rule))
        await this.ask(statement, values);
    });
    this.slowest = Math.max(this.slowest, performance.now() - before);
    this.written += 1;
  }

  /** Records one cell after the other while the work is done. */
  async recordWhile(caseUid: string, rules: string, work: () => Promise<unknown>): Promise<void> {
    let on = true;
    const busy = (async () => {
      while (on) {
        await this.record(caseUid, `item_${this.written % 400}`, `${rules}_${this.written % 7}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    await work();
    on = false;
    await busy;
  }

  /** What is recorded of a case, by item and rule. */
  async cells(caseUid: string): Promise<Map<string, number>> {
    const rows = await this.within(() => this.ask(this.found, [this.owner, caseUid]));
    return new Map(
      rows.map(({ item_uid, rule_uid, raw }): [string, number] => [
        `${String(item_uid)}/${String(rule_uid)}`,
        Number(raw),
      ]),
    );
  }

  protected abstract readonly owner: string | number;
  protected abstract readonly place: string;
  protected abstract readonly found: string;
  protected abstract settle(): Promise<void>;
  protected abstract statements(
    place: Place,
    item: string,
    rule: string,
  ): [statement: string, ...values: unknown[]][];
}

/** At a server of version 0.2: outcomes are TRUE. */
export class WriterOfBefore extends Writer {
  protected readonly owner = this.account;
  protected readonly place = `SELECT case_pk, stream_pk, matrix_pk FROM cases
    JOIN matrices USING (case_pk) WHERE account_id = $1 AND case_uid = $2
    FOR NO KEY UPDATE OF cases`;
  protected readonly found = `SELECT item_uid, rule_uid, raw FROM cells
    JOIN items USING (item_pk) JOIN rule_names USING (rule_pk) JOIN cases USING (case_pk)
    WHERE account_id = $1 AND case_uid = $2`;

  protected async settle(): Promise<void> {}

  protected statements(
    { case_pk, stream_pk, matrix_pk }: Place,
    item: string,
    rule: string,
  ): [string, ...unknown[]][] {
    return [
      [`SELECT set_config('evidence_studio.case', $1, true)`, case_pk],
      [
        `INSERT INTO rule_names (rule_uid) SELECT * FROM unnest($1::text[])
          ON CONFLICT (rule_uid) DO NOTHING`,
        [rule],
      ],
      [
        `INSERT INTO items (case_pk, item_uid, position, heads, created_at, updated_at)
          VALUES ($1, $2, 1, '{}', $3, $3)
          ON CONFLICT (case_pk, item_uid) DO UPDATE SET version = items.version + 1`,
        case_pk,
        item,
        AT,
      ],
      [
        `INSERT INTO cells (matrix_pk, item_pk, rule_pk, raw) SELECT $1, item_pk, rule_pk, 2
          FROM items, rule_names WHERE case_pk = $2 AND item_uid = $3 AND rule_uid = $4
          ON CONFLICT (matrix_pk, item_pk, rule_pk)
          DO UPDATE SET raw = excluded.raw, revision = cells.revision + 1`,
        matrix_pk,
        case_pk,
        item,
        rule,
      ],
      [
        `INSERT INTO tallies (matrix_pk, rule_pk, n_false, n_true, n_na)
          SELECT $1, rule_pk, 0, 1, 0 FROM rule_names WHERE rule_uid = $2
          ON CONFLICT (matrix_pk, rule_pk)
          DO UPDATE SET n_true = tallies.n_true + excluded.n_true`,
        matrix_pk,
        rule,
      ],
      [
        `INSERT INTO registers (stream_pk, reg, head_seq, head_index) VALUES ($1, $2, 1, 0)
          ON CONFLICT (stream_pk, reg) DO UPDATE SET head_seq = excluded.head_seq`,
        stream_pk,
        `a/crispr@1/${rule}/${item}`,
      ],
      [`UPDATE streams SET hlc = $2 WHERE stream_pk = $1`, stream_pk, AT],
      [`UPDATE cases SET updated_at = $2 WHERE case_pk = $1`, case_pk, AT],
      [
        `UPDATE accounts SET moved = $2 WHERE account_id = $1`,
        this.account,
        `${item}/${rule}/${this.written}`,
      ],
    ];
  }
}

/** At a server of this version: outcomes are NA. */
export class WriterOfAfter extends Writer {
  protected readonly owner = this.number;
  protected readonly place = `SELECT cases.case_pk, stream_pk, matrix_pk FROM cases
    JOIN matrices USING (account, case_pk) WHERE account = $1 AND case_uid = $2
    FOR NO KEY UPDATE OF cases`;
  protected readonly found = `SELECT item_uid, rule_uid, raw FROM cells
    JOIN items USING (account, item_pk) JOIN rules USING (account, rule_pk)
    JOIN cases USING (account, case_pk) WHERE account = $1 AND case_uid = $2`;

  protected async settle(): Promise<void> {
    await this.ask(`SET LOCAL evidence_studio.account_number = '${this.number}'`);
  }

  protected statements(
    { case_pk, stream_pk, matrix_pk }: Place,
    item: string,
    rule: string,
  ): [string, ...unknown[]][] {
    const [column, value] = isNumbered('registers') ? ['account, ', `${this.number}, `] : ['', ''];
    return [
      [
        `INSERT INTO rules (account, rule_pk, rule_uid)
          SELECT $1, nextval(pg_get_serial_sequence('rules', 'rule_pk')), * FROM unnest($2::text[])
          ON CONFLICT (account, rule_uid) DO NOTHING`,
        this.number,
        [rule],
      ],
      [
        `INSERT INTO items (account, case_pk, item_uid, position, heads, created_at, updated_at)
          VALUES ($1, $2, $3, 1, '{}', $4, $4)
          ON CONFLICT (account, case_pk, item_uid) DO UPDATE SET version = items.version + 1`,
        this.number,
        case_pk,
        item,
        AT,
      ],
      [
        `INSERT INTO cells (account, matrix_pk, item_pk, rule_pk, raw)
          SELECT account, $2, item_pk, rule_pk, 3 FROM items JOIN rules USING (account)
          WHERE account = $1 AND case_pk = $3 AND item_uid = $4 AND rule_uid = $5
          ON CONFLICT (account, matrix_pk, item_pk, rule_pk)
          DO UPDATE SET raw = excluded.raw, revision = cells.revision + 1`,
        this.number,
        matrix_pk,
        case_pk,
        item,
        rule,
      ],
      [
        `INSERT INTO tallies (account, matrix_pk, rule_pk, n_false, n_true, n_na)
          SELECT account, $2, rule_pk, 0, 0, 1 FROM rules WHERE account = $1 AND rule_uid = $3
          ON CONFLICT (account, matrix_pk, rule_pk)
          DO UPDATE SET n_na = tallies.n_na + excluded.n_na`,
        this.number,
        matrix_pk,
        rule,
      ],
      [
        `INSERT INTO registers (${column}stream_pk, reg, head_seq, head_index)
          VALUES (${value}$1, $2, 1, 0)
          ON CONFLICT (${column}stream_pk, reg) DO UPDATE SET head_seq = excluded.head_seq`,
        stream_pk,
        `a/crispr@1/${rule}/${item}`,
      ],
      [`UPDATE streams SET hlc = $2 WHERE stream_pk = $1`, stream_pk, AT],
      [
        `UPDATE cases SET updated_at = $3 WHERE account = $1 AND case_pk = $2`,
        this.number,
        case_pk,
        AT,
      ],
    ];
  }

  /** How many cells of another account are shown. */
  async visible(account: number): Promise<number> {
    const rows = await this.within(() =>
      this.ask('SELECT raw FROM cells WHERE account = $1 LIMIT 1', [account]),
    );
    return rows.length;
  }
}
