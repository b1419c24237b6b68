import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { formatRegister, type Register } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { author, placements } from '../log/author.ts';
import type { Stream } from '../log/change-log.ts';
import type { HeadMap, RegisterBinding } from '../log/head-map.ts';
import type { RegisterMap } from '../log/register-map.ts';

/** What of a record's tables a write of its fields needs. */
export interface WrittenView {
  readonly registers: RegisterMap;
  readonly heads: HeadMap;
  flush(): Promise<void>;
}

/** A register to write, its value, and what shows it. */
export interface FieldWrite {
  register: Register;
  value: unknown;
  binding: RegisterBinding;
}

/**
 * Writes registers of a record that say where it is listed, as one gesture. Whoever writes one has
 * decided it: where people disagree about it, the entry settles that. Answers the ids of its
 * changes.
 */
export async function writeFields(
  ctx: WriteContext,
  actor: Actor,
  stream: Stream,
  view: WrittenView,
  writes: readonly FieldWrite[],
  why: string | undefined,
): Promise<string[]> {
  const regs = writes.map(({ register }) => formatRegister(register));
  await view.registers.load(regs);
  await view.heads.load(regs);
  await stream.changes.loadSeqs(view.registers.seqs());
  const parents = regs.map((reg) => {
    const head = view.registers.head(reg);
    const all = [...(head === null ? [] : [head]), ...view.heads.conflicting(reg)];
    return all.map((position) => stream.changes.nameOf(position)).sort();
  });
  const texts = writes.map(({ value }, index) => {
    const of = parents[index] as string[];
    const [names, reg] = [canonicalJson(of), jsonString(regs[index] as string)];
    return of.length > 1
      ? entryText(names, reg, canonicalJson(value), 'resolve')
      : entryText(names, reg, canonicalJson(value));
  });
  const settles = parents.some((of) => of.length > 1);
  const reason = why ?? (settles ? 'Decided again.' : undefined);
  const spans = await author(ctx, stream, actor, texts, reason);
  for (const { entry, seq, index } of placements(spans)) {
    const { binding, value } = writes[entry] as FieldWrite;
    await view.heads.apply(binding, { seq, index, parents: parents[entry] as string[], value });
  }
  await view.flush();
  return spans.map(({ id }) => id);
}
