import { changes } from '../../shared/contract/sync.ts';
import { entryName } from '../../sync/change.ts';
import { parseRegister } from '../../sync/register.ts';
import type { FurtherHead } from './db.ts';
import { headersOf, type Link } from './link.ts';
import type { ReplicaState } from './replica-state.ts';

/** Heads that contest a register and that a snapshot named without clock or value. */
function unknownHeads(state: ReplicaState): Set<string> {
  const ids = new Set<string>();
  for (const [address, { others }] of state.further) {
    if (others.length === 0) continue;
    const register = parseRegister(address);
    const target = register === undefined ? undefined : state.target(register);
    const shown = target === undefined ? null : state.head(target);
    const refs = [...others.map((head) => ({ ref: head.ref, known: head.known })), ...(shown === null ? [] : [{ ref: shown[0], known: true }])];
    for (const { ref, known } of refs) if (!known || state.names.clock(ref) === '') ids.add(state.names.id(ref) ?? '');
  }
  return new Set([...ids].filter((id) => !state.sought.has(id)));
}

/**
 * Reads the log from its beginning for what snapshots leave out, so that the displayed one of contesting heads is the same here as everywhere.
 * Only where something is contested; ends when all is found.
 */
export async function lookUpHeads(link: Link): Promise<void> {
  const wanted = unknownHeads(link.state);
  if (wanted.size === 0) return;
  const { life } = link;
  const found = new Map<string, { hlc: string; entries: readonly { reg: string; value: unknown }[] }>();
  let complete = false;
  for (let after = 0, more = true; more && found.size < wanted.size; ) {
    const page = await link.client.call(changes, { params: { caseUid: link.row.case_uid }, query: { after: String(after) }, headers: headersOf(link.row), signal: link.signal });
    if (page.kind !== 'ok' || page.body.n === 0 || link.life !== life) break;
    for (const { id, change } of page.body.changes) if (wanted.has(id)) found.set(id, JSON.parse(change) as { hlc: string; entries: { reg: string; value: unknown }[] });
    ({ to: after, more } = page.body);
    complete = !more;
  }
  if (link.life !== life) return;
  if (complete) for (const id of wanted) if (!found.has(id)) link.state.sought.add(id);
  if (found.size === 0) return;
  link.writer.sealAll();
  settleFound(link.state, found);
  link.state.arrange();
  link.state.store.publish();
  await link.writer.enqueue({ rows: link.state.takeDirty() });
}

function settleFound(state: ReplicaState, found: ReadonlyMap<string, { hlc: string; entries: readonly { reg: string; value: unknown }[] }>): void {
  for (const [id, { hlc }] of found) state.names.intern(id, hlc, false);
  for (const [address, { others, cited }] of [...state.further]) {
    const heads = new Map<string, FurtherHead[]>([[address, []]]);
    for (const head of others) {
      const entry = found.get(state.names.id(head.ref) ?? '')?.entries[head.index];
      // A snapshot lists further heads a cell: whether they are of its outcome or of its notes is known only now.
      const own = entry?.reg ?? address;
      heads.set(own, [...(heads.get(own) ?? []), entry === undefined || head.known ? head : { ...head, value: entry.value, known: true }]);
    }
    for (const [own, further] of heads) {
      const register = parseRegister(own);
      const target = register === undefined ? undefined : state.target(register);
      if (target === undefined) continue;
      const shown = state.head(target);
      const before = own === address ? [] : (state.further.get(own)?.others ?? []);
      const all = [...(shown === null ? [] : [{ ref: shown[0], index: shown[1], value: state.value(target), known: true }]), ...before, ...further];
      const distinct = new Map(all.map((head) => [entryName(state.names.id(head.ref) ?? '', head.index), head]));
      state.settle(target, own, [...distinct.values()], own === address ? cited : (state.further.get(own)?.cited ?? []));
    }
  }
}
