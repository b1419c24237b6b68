import type { CaseStage } from '../../../shared/domain/sign-off.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { HeadEntry } from '../../../sync/heads.ts';
import type { Register } from '../../../sync/register.ts';
import { type PlacedMove, type StageMove, stageOf } from '../../../sync/sign-off.ts';
import type { WriteContext } from '../db/context.ts';
import type { EntryPosition } from '../log/change-index.ts';
import type { StoredCase } from '../records/cases.ts';
import { movesOf } from './read-stage.ts';

const COLUMNS = ['case_uid', 'seq', 'idx', 'kind', 'run_uid', 'value'];
const KEY = ['case_uid', 'seq', 'idx'];

/**
 * What a case's log says of stages, signatures and time-stamps, while a transaction works on it.
 */
export class SignOffMap {
  readonly #stored: StoredCase;
  readonly #rows: unknown[][] = [];
  readonly #moves: PlacedMove[] = [];

  constructor(stored: StoredCase) {
    this.#stored = stored;
  }

  /** Notes an applied move, signature or time-stamp. */
  announce(register: Register, value: unknown, at: EntryPosition, mark: HeadEntry): void {
    const { kind } = register;
    if (kind !== 'stage' && kind !== 'signature' && kind !== 'time_stamp') return;
    const { case_uid } = this.#stored.record;
    const run = register.kind === 'stage' ? '' : register.run;
    this.#rows.push([case_uid, at.seq, at.index, kind, run, canonicalJson(value)]);
    if (kind === 'stage') this.#moves.push({ ...mark, value: value as StageMove });
  }

  /** What the case's row shows from now on; nothing where no move came. */
  async fields(ctx: WriteContext): Promise<{ stage?: CaseStage }> {
    if (this.#moves.length === 0) return {};
    const all = new Map<string, PlacedMove>();
    for (const move of [...(await movesOf(ctx, this.#stored)), ...this.#moves])
      all.set(move.name, move);
    return { stage: stageOf([...all.values()]).stage };
  }

  async flush({ session }: WriteContext): Promise<void> {
    if (this.#rows.length === 0) return;
    await session.insert('sign_offs', COLUMNS, this.#rows, { target: KEY, update: [] });
    this.#rows.length = 0;
  }
}
