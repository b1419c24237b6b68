/** PouchDB on LevelDB in a process of its own, as the desktop's hub is one: obeys a line of JSON at a time, and answers with one. */
import { createInterface } from 'node:readline';
import PouchDB from 'pouchdb';

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
  | { do: 'fill'; docs: readonly Cell[] }
  /** Gives the first so many cells another outcome. */
  | { do: 'edit'; count: number; value: string }
  | { do: 'push' | 'pull'; url: string }
  | { do: 'count' };
export type { Cell };

const database = new PouchDB<Cell>(process.argv[2]);

async function obey(order: Order): Promise<number> {
  switch (order.do) {
    case 'fill':
      await database.bulkDocs([...order.docs]);
      return order.docs.length;
    case 'edit': {
      const { rows } = await database.allDocs({ include_docs: true, limit: order.count });
      await database.bulkDocs(rows.flatMap(({ doc }) => (doc === undefined ? [] : { ...doc, raw_outcome: order.value })));
      return rows.length;
    }
    case 'push':
      return (await database.replicate.to(order.url, { batch_size: 1_000, batches_limit: 10 })).docs_written;
    case 'pull':
      return (await database.replicate.from(order.url, { batch_size: 1_000, batches_limit: 10 })).docs_written;
    case 'count':
      return (await database.info()).doc_count;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const began = performance.now();
  const count = await obey(JSON.parse(line) as Order);
  console.log(JSON.stringify({ count, ms: performance.now() - began }));
}
await database.close();
