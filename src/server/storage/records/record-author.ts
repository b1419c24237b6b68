import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { author, placements } from '../log/author.ts';
import { entryText, jsonString, parentsText } from '../../../sync/change-writer.ts';
import type { WriteContext } from '../db/context.ts';
import { parseRegister } from '../../../sync/register.ts';
import { DocumentMap } from './document-map.ts';
import { HeadMap } from '../log/head-map.ts';
import type { Actor } from '../db/actor.ts';
import { RegisterMap } from '../log/register-map.ts';
import type { Stream } from '../log/change-log.ts';

/**
 * A field of a case or project to write: its register (`case/<field>`, `project/<field>`,
 * `document/…`) and its new value.
 */
export interface FieldDraft {
  reg: string;
  value: unknown;
}

/**
 * Writes fields of a record as one gesture; each entry cites the displayed head. Returns the values
 * displayed afterwards, by field: those that were written, unless a contested field has a head that
 * ranks higher. The documents that were named have to be flushed by the caller, who knows the
 * case's row.
 */
export async function authorFields(
  ctx: WriteContext,
  stream: Stream,
  actor: Actor,
  drafts: readonly FieldDraft[],
  why?: string,
): Promise<{ shown: Record<string, unknown>; documents: DocumentMap }> {
  const registers = new RegisterMap(ctx.session, stream.pk);
  const documents = new DocumentMap(ctx, registers);
  const heads = new HeadMap(ctx.session, stream.pk, stream.changes);
  const regs = drafts.map((draft) => draft.reg);
  await registers.load(regs);
  await heads.load(regs);
  await stream.changes.loadSeqs(registers.seqs());
  const names = drafts.map(({ reg }) => {
    const head = registers.head(reg);
    return head === null ? null : stream.changes.nameOf(head);
  });
  const texts = drafts.map(({ reg, value }, index) =>
    entryText(parentsText(names[index] ?? null), jsonString(reg), canonicalJson(value)),
  );
  const shown: Record<string, unknown> = {};
  for (const { entry, seq, index } of placements(await author(ctx, stream, actor, texts, why))) {
    const { reg, value } = drafts[entry] as FieldDraft;
    const name = names[entry] ?? null;
    const register = parseRegister(reg);
    const binding =
      register?.kind === 'document'
        ? documents.binding(register.profile, register.version)
        : registers.binding(reg, (displayed) => {
            const field = reg.slice(reg.indexOf('/') + 1);
            // Whether the record exists is not one of its values.
            if (field !== 'x') shown[field] = displayed;
          });
    await heads.apply(binding, { seq, index, parents: name === null ? [] : [name], value });
  }
  await registers.flush();
  await heads.flush();
  return { shown, documents };
}
