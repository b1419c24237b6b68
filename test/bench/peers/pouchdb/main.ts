/**
 * PouchDB on LevelDB in a process of its own, as a desktop's server is one: obeys a line of JSON at
 * a time, and answers with one.
 */
import { createInterface } from 'node:readline';
import PouchDB from 'pouchdb';

/** One document a cell, with the fields that a cell has here. */
interface Cell {
  _id: string;
  case_uid: string;
  item_uid: string;
  rule_uid: string;
  raw_outcome: string;
  source_value: null;
  notes: null;
  provenance: null;
  updated_by: string;
}
export type Order =
  | { do: 'fill'; cells: number }
  | { do: 'edit'; cells: number }
  | { do: 'push' | 'pull'; url: string };

const RULES = 50;
const STATES = ['FALSE', 'TRUE', 'NA'] as const;
/** Its default is a tenth of this, and slower. */
const OPTIONS = { batch_size: 1_000, batches_limit: 10 };
const AT_ONCE = 2_000;
const database = new PouchDB<Cell>(process.argv[2]);

function cellOf(number: number): Cell {
  const [item_uid, rule_uid] = [
    `item_${String(Math.floor(number / RULES)).padStart(6, '0')}`,
    `rule_number_${(number % RULES) + 1}`,
  ];
  return {
    _id: `${item_uid}/${rule_uid}`,
    case_uid: 'bench',
    item_uid,
    rule_uid,
    raw_outcome: STATES[number % 3]!,
    source_value: null,
    notes: null,
    provenance: null,
    updated_by: 'usr_bench',
  };
}

/** Answers how many documents that was. */
async function obey(order: Order): Promise<number> {
  switch (order.do) {
    case 'fill':
      for (let from = 0; from < order.cells; from += AT_ONCE)
        await database.bulkDocs(
          Array.from({ length: Math.min(AT_ONCE, order.cells - from) }, (_, at) =>
            cellOf(from + at),
          ),
        );
      return order.cells;
    case 'edit': {
      const { rows } = await database.allDocs({ include_docs: true, limit: order.cells });
      await database.bulkDocs(
        rows.flatMap(({ doc }) => (doc === undefined ? [] : { ...doc, raw_outcome: 'EDITED' })),
      );
      return rows.length;
    }
    case 'push':
      return (await database.replicate.to(order.url, OPTIONS)).docs_written;
    case 'pull':
      return (await database.replicate.from(order.url, OPTIONS)).docs_written;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const began = performance.now();
  const documents = await obey(JSON.parse(line) as Order);
  console.log(JSON.stringify({ documents, ms: performance.now() - began }));
}
await database.close();
