import type { Author } from '../../../sync/change.ts';
import type { Register } from '../../../sync/register.ts';
import type { WriteContext } from '../db/context.ts';
import type { EntryPosition } from '../log/change-index.ts';
import type { Stream } from '../log/change-log.ts';
import type { RegisterBinding } from '../log/head-map.ts';
import { NoticeMap } from '../notices/notice-map.ts';
import { DiscussionMap } from '../discussion/discussion-map.ts';
import { AcceptanceMap } from './acceptance-map.ts';
import { SuggestionMap } from './suggestion-map.ts';

/**
 * What stands beside the record in a case's log (SPEC.md, Y), while a transaction works on it. None
 * of it touches a table of the record. A kind of register is loaded in `load`, shown in `binding`
 * if it has heads and in `note` if it has none, and stored in `flush`.
 */
export class CaseLayers {
  readonly suggestions: SuggestionMap;
  readonly discussion: DiscussionMap;
  readonly #acceptances: AcceptanceMap;

  constructor(ctx: WriteContext, stream: Stream) {
    const notices = new NoticeMap(ctx, stream);
    this.suggestions = new SuggestionMap(ctx, stream.pk, notices);
    this.discussion = new DiscussionMap(ctx, stream, notices);
    this.#acceptances = new AcceptanceMap(ctx, stream);
  }

  /** Reads what is stored of these registers; nothing where none is of a layer. */
  async load(registers: readonly Register[]): Promise<void> {
    const cells = registers.flatMap((register) =>
      register.kind === 'suggestion' || register.kind === 'decision' ? [register] : [],
    );
    if (cells.length > 0) await this.suggestions.load(cells);
  }

  headSeqs(): Iterable<number> {
    return this.suggestions.headSeqs();
  }

  /** The table's side of a register with heads; undefined for those of the record. */
  binding(register: Register, reg: string): RegisterBinding | undefined {
    switch (register.kind) {
      case 'suggestion':
        return this.suggestions.suggestion(register, reg);
      case 'decision':
        return this.suggestions.decision(register, reg);
      default:
        return undefined;
    }
  }

  /** Takes note of an applied entry at its place in the log. */
  note(register: Register, value: unknown, place: EntryPosition, by: Author): void {
    this.#acceptances.note(register, value, place);
    this.discussion.note(register, value, place, by);
  }

  async flush(): Promise<void> {
    await this.suggestions.flush();
    await this.#acceptances.flush();
    await this.discussion.flush();
  }
}
