import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { CaseStage } from '../../../shared/domain/sign-off.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { compareHeads } from '../../../sync/heads.ts';
import type { Register } from '../../../sync/register.ts';
import type { StageMove } from '../../../sync/sign-off.ts';
import type { WriteContext } from '../db/context.ts';
import type { EntryPosition } from '../log/change-index.ts';

const COLUMNS = ['case_uid', 'seq', 'idx', 'kind', 'run_uid', 'value'];
const KEY = ['case_uid', 'seq', 'idx'];

/** By which move a case is in its stage: clock and name, as a case's row has them. */
interface MoveMark {
  hlc: string;
  name: string;
}

const writeMark = ({ hlc, name }: MoveMark): string => `${hlc} ${name}`;
const readMark = (text: string): MoveMark | undefined => {
  const [hlc, name] = text.split(' ');
  return hlc === undefined || name === undefined ? undefined : { hlc, name };
};

/** What a case's log says of stages and signatures, while a transaction works on it. */
export class SignOffMap {
  readonly #caseUid: CaseUid;
  readonly #rows: unknown[][] = [];
  #mark: MoveMark | undefined;
  #stage: CaseStage | undefined;

  constructor(caseUid: CaseUid, stageAt: string) {
    this.#caseUid = caseUid;
    this.#mark = readMark(stageAt);
  }

  /** Notes an applied move or signature. */
  announce(register: Register, value: unknown, at: EntryPosition, mark: MoveMark): void {
    if (register.kind !== 'stage' && register.kind !== 'signature') return;
    const run = register.kind === 'signature' ? register.run : '';
    this.#rows.push([this.#caseUid, at.seq, at.index, register.kind, run, canonicalJson(value)]);
    if (register.kind === 'signature') return;
    if (this.#mark !== undefined && compareHeads(this.#mark, mark) >= 0) return;
    this.#mark = mark;
    this.#stage = (value as StageMove).stage;
  }

  /** What the case's row shows from now on; nothing where no move is the last one. */
  fields(): { stage: CaseStage; stage_at: string } | undefined {
    if (this.#stage === undefined || this.#mark === undefined) return undefined;
    return { stage: this.#stage, stage_at: writeMark(this.#mark) };
  }

  async flush({ session }: WriteContext): Promise<void> {
    if (this.#rows.length === 0) return;
    await session.insert('sign_offs', COLUMNS, this.#rows, { target: KEY, update: [] });
    this.#rows.length = 0;
  }
}
