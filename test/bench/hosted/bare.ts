/**
 * The floor: Express and pg with a pool as large, a statement for the key and one for each thing
 * that is read or written, the same fields in the answers, and nothing else.
 */
import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });
await pool.query(
  `CREATE TABLE bare_log (seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id TEXT NOT NULL, case_uid TEXT NOT NULL, body TEXT NOT NULL)`,
);
await pool.query(`CREATE TABLE bare_cells (account_id TEXT, case_uid TEXT, item_uid TEXT,
  item_type TEXT, label TEXT, metadata TEXT, position DOUBLE PRECISION, rule_uid TEXT, raw TEXT,
  source_value TEXT, notes TEXT, provenance TEXT, created_at TEXT, updated_at TEXT,
  updated_by TEXT, revision INT DEFAULT 1, contested BOOLEAN DEFAULT false,
  PRIMARY KEY (account_id, case_uid, item_uid, rule_uid))`);
await pool.query(`INSERT INTO bare_cells (account_id, case_uid, item_uid, item_type, label,
  metadata, position, rule_uid, raw, created_at, updated_at, updated_by) SELECT account_id,
  case_uid, item_uid, item_type, label, items.metadata, position, rule_uid, 'NA',
  items.created_at, items.updated_at,
  'Person 0 0' FROM cells JOIN matrices USING (account, matrix_pk)
  JOIN cases USING (account, case_pk) JOIN items USING (account, item_pk)
  JOIN rules USING (account, rule_pk) JOIN accounts USING (account)`);
await pool.query('ANALYZE bare_cells');

interface Cell {
  item_uid: string;
  item_type: string;
  label: string;
  metadata: string;
  position: number;
  rule_uid: string;
  raw: 'TRUE' | 'FALSE' | 'NA';
  source_value: string | null;
  notes: string | null;
  provenance: string | null;
  created_at: string;
  updated_at: string;
  updated_by: string;
  revision: number;
  contested: boolean;
}
interface Known extends Request {
  account?: string;
}
const app = express();
app.use(express.json({ limit: '8mb' }));
app.use(async (request: Known, response: Response, next: NextFunction) => {
  const key = request.headers.authorization?.slice(7) ?? '';
  const { rows } = await pool.query<{ account_id: string; mac: string }>(
    `SELECT k.account_id, k.mac, m.role FROM api_keys k JOIN members m
      ON m.account_id = k.account_id AND m.user_id = k.user_id WHERE k.key_id = $1`,
    [key.slice(4, 14)],
  );
  createHmac('sha256', 'secret').update(key).digest();
  if (rows[0] === undefined) return void response.status(401).end();
  request.account = rows[0].account_id;
  next();
});
const rowsOf = async (sql: string, values: unknown[]): Promise<unknown[]> =>
  (await pool.query(sql, values)).rows;
app.get('/api/v1/projects', async (request: Known, response) => {
  response.json({
    data: await rowsOf(
      `SELECT project_id, projects.name, description, domain, projects.created_at, updated_at, version
        FROM projects JOIN accounts USING (account) WHERE account_id = $1
        ORDER BY project_pk LIMIT 51`,
      [request.account],
    ),
  });
});
app.get('/api/v1/cases', async (request: Known, response) => {
  response.json({
    data: await rowsOf(
      `SELECT case_uid, project_id, title, description, case_type, metadata,
        cases.created_at, updated_at, version FROM cases JOIN accounts USING (account)
        WHERE account_id = $1 AND project_id = $2
        ORDER BY case_pk LIMIT 51`,
      [request.account, request.query['project_id']],
    ),
  });
});
app.get('/api/v1/profiles/:uid', async (request: Known, response) => {
  response
    .type('json')
    .send(
      (
        (await rowsOf(
          'SELECT document FROM profiles WHERE profile_uid = $1 AND account_id IS NULL',
          [request.params['uid']],
        )) as { document: string }[]
      )[0]?.document,
    );
});
app.get('/api/v1/cases/:uid/evidence', async (request: Known, response) => {
  const cells = (await rowsOf(
    'SELECT * FROM bare_cells WHERE account_id = $1 AND case_uid = $2 ORDER BY position, item_uid, rule_uid',
    [request.account, request.params['uid']],
  )) as Cell[];
  const items = new Map<string, object & { evidence: object[] }>();
  const summary = { TRUE: 0, FALSE: 0, NA: 0 };
  for (const {
    item_uid,
    item_type,
    label,
    metadata,
    position,
    created_at,
    rule_uid,
    raw,
    source_value,
    notes,
    provenance,
    updated_at,
    updated_by,
    revision,
    contested,
  } of cells) {
    const item = items.get(item_uid) ?? {
      item_uid,
      item_type,
      label,
      metadata: JSON.parse(metadata) as unknown,
      position,
      created_at,
      updated_at,
      version: 1,
      evidence: [] as object[],
    };
    items.set(item_uid, item);
    summary[raw] += 1;
    item.evidence.push({
      item_uid,
      rule_uid,
      raw_outcome: raw,
      matrix_value: raw === 'TRUE' ? '1' : '0',
      source_value,
      notes,
      provenance,
      updated_at,
      updated_by,
      revision,
      contested,
    });
  }
  response.json({
    case_uid: request.params['uid'],
    items: [...items.values()],
    summary,
    next_cursor: null,
  });
});
app.post('/api/v1/cases/:uid/evidence', async (request: Known, response) => {
  const { outcomes } = request.body as {
    outcomes: { item_uid: string; rule_uid: string; raw_outcome: string }[];
  };
  await pool.query(
    `WITH logged AS (INSERT INTO bare_log (account_id, case_uid, body)
      VALUES ($1, $2, $3)) INSERT INTO bare_cells (account_id, case_uid, item_uid, rule_uid, raw,
      updated_at) SELECT $1, $2, item, rule, raw, $7 FROM unnest($4::text[], $5::text[],
      $6::text[]) AS given (item, rule, raw) ON CONFLICT (account_id, case_uid, item_uid,
      rule_uid) DO UPDATE SET raw = excluded.raw, updated_at = excluded.updated_at,
      revision = bare_cells.revision + 1`,
    [
      request.account,
      request.params['uid'],
      JSON.stringify(request.body),
      outcomes.map(({ item_uid }) => item_uid),
      outcomes.map(({ rule_uid }) => rule_uid),
      outcomes.map(({ raw_outcome }) => raw_outcome),
      new Date().toISOString(),
    ],
  );
  response.json({ outcomes_written: outcomes.length });
});
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
