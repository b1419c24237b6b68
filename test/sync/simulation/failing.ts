import type { Faults } from '../../../src/sync/faults.ts';
import type { Core } from './core.ts';

/** A link's end as far as a failing upstream concerns it (R12). */
interface Sender {
  readonly name: string;
  readonly core: Core;
  readonly ears: { time(): number; answers(store: string): boolean };
  faults: Faults | null;
  most: number;
  setAside(id: string): void;
}

/** The upstream failed on a batch. */
export function failOn(sender: Sender, ids: readonly string[]): void {
  const { name, core, ears } = sender;
  const [head = ''] = ids;
  const { faults, verdict } = core.blame(
    sender.faults,
    { head, size: ids.length },
    ears.time(),
    ears.answers(name),
  );
  sender.faults = faults;
  if (verdict === 'halve') sender.most = Math.ceil(ids.length / 2);
  if (verdict !== 'set_aside') return;
  sender.setAside(head);
  sender.faults = null;
  sender.most = Infinity;
}
