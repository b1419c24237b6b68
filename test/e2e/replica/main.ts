/**
 * The window's data layer alone, on the browser's own store, for tests to drive. `?shift=` moves
 * its clock, in ms; `?slow=1` keeps its waits as they are.
 */
import Dexie from 'dexie';
import { browserHasher } from '../../../src/renderer/app/browser-hasher.ts';
import { createDataLayer } from '../../../src/renderer/data/data-layer.ts';
import {
  DATABASE_NAME,
  type MatrixRow,
  type OutboxRow,
} from '../../../src/renderer/data/store/db.ts';
import type {
  CellAddress,
  CellPatch,
  Edit,
  ItemEdit,
  MatrixSession,
  SaveStatus,
} from '../../../src/renderer/data/store/port.ts';
import { formatRegister } from '../../../src/sync/register.ts';
import type { ModelCell, ModelView } from '../../model/oracle.ts';
import { asProfile, asCase } from '../../support/ids.ts';

type Address = { caseUid: string; profileUid: string; profileVersion: string };
/** What is on disk here: the link's row, and the texts of what has not been acknowledged. */
export interface Stored {
  replica: string;
  row: MatrixRow | undefined;
  unsent: { id: string; text: string; state: string }[];
}

const query = new URLSearchParams(location.search);
const shift = Number(query.get('shift') ?? '0');
/** A wait for a retry costs a test nothing but time. */
const pace = query.get('slow') === '1' ? 1 : 20;

async function open(address: Address) {
  const layer = await createDataLayer({
    fetch: (input, init) => fetch(input, init),
    now: () => Date.now() + shift,
    elapsed: () => performance.now(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    hasher: browserHasher,
    locks: navigator.locks,
    broadcast: (name) => new BroadcastChannel(name),
    eventSource: (url) => new EventSource(url),
    after(ms, callback) {
      const timer = setTimeout(callback, ms / pace);
      return () => clearTimeout(timer);
    },
  });
  const session = await layer.openMatrix({
    ...address,
    caseUid: asCase(address.caseUid),
    profileUid: asProfile(address.profileUid),
  });
  return { layer, session };
}

const STATES = ['evidence_present', 'problem_found', 'not_available'] as const;

function viewOf(session: MatrixSession): ModelView {
  const items = session.items.map(({ item_uid, item_type, label, position, metadata }, row) => {
    const cells: Record<string, ModelCell> = {};
    session.rules.forEach((rule, column) => {
      const { source_value, provenance, notes } = session.detail(row, column);
      const cell: ModelCell = {
        raw_outcome: session.state(row, column),
        source_value,
        provenance: provenance ?? null,
        notes,
        contested: session.contested(row, column),
      };
      if (
        cell.raw_outcome !== null ||
        source_value !== null ||
        cell.provenance !== null ||
        notes !== null ||
        cell.contested
      )
        cells[rule] = cell;
    });
    return { item_uid, item_type, label, position, metadata, cells };
  });
  const totals = session.totals();
  const summary = {
    items: items.length,
    recorded: totals[0] + totals[1] + totals[2],
    evidence_present: 0,
    problem_found: 0,
    not_available: 0,
  };
  STATES.forEach((name, code) => (summary[name] = totals[code] ?? 0));
  return { items, summary };
}

let opened: Awaited<ReturnType<typeof open>> | undefined;
const current = (): MatrixSession => {
  if (opened === undefined) throw new Error('No matrix is open.');
  return opened.session;
};

const replica = {
  async open(address: Address): Promise<void> {
    opened = await open(address);
  },
  async write(cell: CellAddress, patch: CellPatch): Promise<number> {
    return (await current().write('Set', [cell], patch)).written;
  },
  async apply(edit: Edit): Promise<{ items: number; cells: number }> {
    return current().apply(edit);
  },
  /** Settles a cell's outcome, naming every head that is known here. */
  async resolve({ item, rule }: CellAddress, value: unknown, why: string): Promise<number> {
    const session = current();
    const reg = formatRegister({
      kind: 'assertion',
      profile: session.profile.profileUid,
      version: session.profile.version,
      rule,
      item,
    });
    const heads = session.headsOf(reg).map((head) => head.entry);
    return (await session.settle([{ reg, heads, value }], why, 'Settle')).settled;
  },
  undo: async (): Promise<boolean> => (await current().undo()) !== null,
  check: (items: readonly ItemEdit[]): number => current().check(items).length,
  view: (): ModelView => viewOf(current()),
  removed: (): string[] =>
    current()
      .removedItems()
      .map((item) => item.item_uid),
  /** Names of the heads of each contested cell, as `item rule`. */
  contested(): Record<string, string[]> {
    const session = current();
    const found: Record<string, string[]> = {};
    session.eachContested((row, column) => {
      found[`${session.items[row]?.item_uid} ${session.rules[column]}`] = session
        .alternatives(row, column)
        .map((one) => one.entry)
        .sort();
    });
    return found;
  },
  status: (): SaveStatus => current().saveStatus,
  wake: (): void => opened?.layer.requestSync(),
  rebuilt: () => opened?.layer.rebuilt ?? null,
  /** Resolves when nothing waits. */
  flush: (ms: number): Promise<void> => current().flush(ms),
  async stored(): Promise<Stored> {
    const db = await new Dexie(DATABASE_NAME).open();
    try {
      const [row] = (await db.table('matrices').toArray()) as MatrixRow[];
      const unsent = (await db.table('outbox').toArray()) as OutboxRow[];
      const replicaId = (await db.table('meta').get('replica')) as { value: string } | undefined;
      return {
        replica: replicaId?.value ?? '',
        row,
        unsent: unsent.map(({ id, text, state }) => ({ id, text, state })),
      };
    } finally {
      db.close();
    }
  },
  close(): void {
    opened?.layer.close();
    opened = undefined;
  },
  /** As "clear site data" does, and as the browser does with a store that it cannot repair. */
  forget: (): Promise<void> => Dexie.delete(DATABASE_NAME),
};
export type ReplicaPage = typeof replica;
Object.assign(window, { replica });
