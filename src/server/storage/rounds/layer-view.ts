import type { WriteContext } from '../db/context.ts';
import { flushStream, type Stream } from '../log/change-log.ts';
import { HeadMap } from '../log/head-map.ts';
import { appliedEntries, type LogView, type ValidatedChange } from '../log/log-view.ts';
import { loadRegisters, RegisterMap } from '../log/register-map.ts';

/**
 * A layer while a transaction works on its log. It has heads and no table that shows it: what it
 * says is read from the log, so that no list, count or search can show what is sealed.
 */
export class LayerView implements LogView {
  readonly heads: HeadMap;
  readonly registers: RegisterMap;
  readonly #ctx: WriteContext;
  readonly #stream: Stream;

  constructor(ctx: WriteContext, stream: Stream) {
    this.#ctx = ctx;
    this.#stream = stream;
    this.registers = new RegisterMap(ctx.session, stream.pk);
    this.heads = new HeadMap(ctx.session, stream.pk, stream.changes);
  }

  prepare(changes: readonly ValidatedChange[]): Promise<void> {
    return loadRegisters(this, this.#stream.changes, changes);
  }

  overfull(): undefined {}

  async apply(change: ValidatedChange, seq: number): Promise<void> {
    for (const { index, entry, register } of appliedEntries(change)) {
      if (register.kind !== 'assertion' && register.kind !== 'notes') continue;
      const { parents, value, restores } = entry;
      await this.heads.apply(
        this.registers.binding(entry.reg, () => {}),
        { seq, index, parents, value, restores },
      );
    }
  }

  async flush(): Promise<void> {
    await this.registers.flush();
    await this.heads.flush();
    await flushStream(this.#ctx, this.#stream);
  }
}
