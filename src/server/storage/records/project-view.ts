import type { ProjectField } from '../../../sync/register.ts';
import type { WriteContext } from '../db/context.ts';
import { HeadMap } from '../log/head-map.ts';
import { flushStream, type Stream } from '../log/change-log.ts';
import { appliedEntries, type ValidatedChange, type LogView } from '../log/log-view.ts';
import { placeholderProject, nameKey } from './projects.ts';
import { loadRegisters, RegisterMap } from '../log/register-map.ts';
import type { ProjectId } from '../../../shared/contract/ids.ts';

/** A project's row while a transaction works on its log. */
export class ProjectView implements LogView {
  readonly heads: HeadMap;
  readonly registers: RegisterMap;
  readonly #ctx: WriteContext;
  readonly #stream: Stream;
  readonly #project: ProjectId;
  #fields: Record<string, string | number> = {};

  constructor(ctx: WriteContext, stream: Stream, project: ProjectId) {
    this.#ctx = ctx;
    this.#stream = stream;
    this.#project = project;
    this.registers = new RegisterMap(ctx.session, stream.pk);
    this.heads = new HeadMap(ctx.session, stream.pk, stream.changes);
  }

  prepare(changes: readonly ValidatedChange[]): Promise<void> {
    return loadRegisters(this, this.#stream.changes, changes);
  }

  overfull(): undefined {}

  async apply(change: ValidatedChange, seq: number): Promise<void> {
    for (const { index, entry, register } of appliedEntries(change)) {
      if (register.kind !== 'project') continue;
      const binding = this.registers.binding(entry.reg, (value) =>
        this.showField(register.field, value),
      );
      await this.heads.apply(binding, { seq, index, parents: entry.parents, value: entry.value });
    }
  }

  /** Shows a field of the project. */
  showField(field: ProjectField, value: unknown): void {
    if (field === 'x') this.#fields['deleted'] = (value as { deleted: boolean }).deleted ? 1 : 0;
    else if (field === 'archived') this.#fields['archived'] = value === true ? 1 : 0;
    else this.#fields[field] = value as string;
    if (field === 'name') this.#fields['name_key'] = nameKey(value as string);
  }

  async flush(): Promise<void> {
    const { db, account } = this.#ctx.session;
    await this.registers.flush();
    await this.heads.flush();
    const isNew = await placeholderProject(this.#ctx, this.#stream.account, this.#project);
    if (Object.keys(this.#fields).length > 0) {
      await db
        .updateTable('projects')
        .set((eb) => ({
          ...this.#fields,
          updated_at: this.#ctx.at,
          ...(isNew ? {} : { version: eb('version', '+', 1) }),
        }))
        .where('account', '=', account)
        .where('project_id', '=', this.#project)
        .execute();
    }
    await flushStream(this.#ctx, this.#stream);
  }
}
