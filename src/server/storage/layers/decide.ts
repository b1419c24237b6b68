import type { CaseUid } from '../../../shared/contract/ids.ts';
import type {
  DecisionAnswer,
  DecisionInput,
  DecisionsInput,
  DecisionsReceipt,
} from '../../../shared/contract/v1/suggestions.ts';
import type { Entry } from '../../../sync/change.ts';
import {
  acceptable,
  acceptanceOf,
  type DisplayedEntry,
  suggestionState,
} from '../../../sync/layers/suggestions.ts';
import type { Suggestion, SuggestionDecision } from '../../../sync/layers/values.ts';
import { formatRegister } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import { pipelined } from '../db/session.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { chooseProfile, nameDocument } from '../evidence/name-document.ts';
import { place } from '../evidence/place-entries.ts';
import { assertionBinding } from '../log/cell-registers.ts';
import type { CellMap } from '../log/cell-map.ts';
import { openStream } from '../log/change-log.ts';
import { Gesture } from '../log/gesture.ts';
import {
  type CaseProfileDocument,
  caseAndProfile,
  refuseUnsettled,
} from '../records/case-profile.ts';
import { CaseView, internRules } from '../records/case-view.ts';
import type { StoredCase } from '../records/cases.ts';
import { hiddenCells, refuseUnseen } from '../rounds/hidden-cells.ts';
import { CellStates, isAsRead } from './cell-states.ts';
import { type Named, readNamed } from './named-suggestions.ts';
import { previewed } from './preview-decisions.ts';
import { says } from './suggestion-list.ts';
import { namedDocument, type ShownCells } from './shown-cells.ts';

/** A decision of a request with all that it is about. */
interface Asked extends Named {
  input: Omit<DecisionInput, 'suggestion_id'>;
}
type Matrix = { casePk: number; streamPk: number; profile_uid: string; profile_version: string };

/**
 * Carries out what a person decides about suggestions, as one gesture: an accepted one is recorded
 * in the same change (YD2). By name an open or a stale one can be decided; a rule decides what its
 * preview named, as far as each is open still (YD5).
 */
export async function decide(
  ctx: WriteContext,
  actor: Actor,
  case_uid: CaseUid,
  input: DecisionsInput,
): Promise<DecisionsReceipt> {
  const { profile_uid, profile_version } = input;
  const [stream, found, hidden] = await pipelined(
    openStream(ctx, actor.account_id, case_uid),
    caseAndProfile(ctx, actor.account_id, { case_uid, profile_uid, profile_version }),
    hiddenCells(ctx, actor.account_id, case_uid),
  );
  refuseUnsettled(found);
  const { stored, profile } = found;
  const view = new CaseView(ctx, stream, stored);
  const { profileUid, version } = profile.document;
  const matrix: Matrix = {
    casePk: stored.pk,
    streamPk: stored.streamPk,
    profile_uid: profileUid,
    profile_version: version,
  };
  const of = { case_uid, profile_uid: profileUid, profile_version: version };
  if (input.rule !== undefined && input.preview === true) {
    const decisions = await previewed(ctx, view, { ...matrix, hidden }, input.rule.filter);
    return { ...of, decided: 0, left: 0, decisions, changes: [] };
  }
  const names =
    input.decisions?.map((one) => one.suggestion_id) ?? input.rule?.suggestion_ids ?? [];
  const pathOf = (index: number): string =>
    input.rule === undefined
      ? `/decisions/${index}/suggestion_id`
      : `/rule/suggestion_ids/${index}`;
  const { named, shown } = await readNamed(ctx, view, profile, matrix, names, pathOf);
  const unseen = named.flatMap(({ cell }, index) =>
    hidden?.hides(cell) === true ? [pathOf(index)] : [],
  );
  refuseUnseen(unseen, 'decide about their suggestions once it is released.');
  const asked = named.map((one, index): Asked => {
    const { verdict, reason } = input.rule ?? { verdict: 'accept' };
    const rule = { verdict, ...(reason !== undefined && { reason }) };
    return { ...one, input: input.decisions?.[index] ?? rule };
  });
  const states = new CellStates(stream.changes, await namedDocument(ctx, matrix));
  const decider = new Decider(view, states, shown, input.rule);
  for (const one of asked) await decider.judge(one);
  const changes = await decider.write(ctx, actor, found, input.reason);
  return {
    ...of,
    decided: decider.decided,
    left: asked.length - decider.decided,
    decisions: decider.answers,
    changes,
  };
}

/** Judges the decisions of a request one after the other, and writes those that hold. */
class Decider {
  readonly answers: DecisionAnswer[] = [];
  decided = 0;
  readonly #view: CaseView;
  readonly #states: CellStates;
  readonly #shown: ShownCells;
  readonly #rule: DecisionsInput['rule'];
  readonly #entries: (Named & { accepted: boolean; entries: Entry[] })[] = [];
  /** A cell is accepted into once: its next suggestion is stale then, and can be refused alone. */
  readonly #taken = new Set<string>();
  readonly #work = new WorkCounter();

  constructor(view: CaseView, states: CellStates, shown: ShownCells, rule: DecisionsInput['rule']) {
    this.#view = view;
    this.#states = states;
    this.#shown = shown;
    this.#rule = rule;
  }

  async judge({ input, ...named }: Asked): Promise<void> {
    const { cell, entry, row } = named;
    const shown = this.#shown.get(cell);
    const view = await this.#states.view(row, shown);
    const place = `${cell.rule}/${cell.item}`;
    const accepted = input.verdict === 'accept';
    const isTaken = this.#taken.has(place);
    const now = isTaken ? 'stale' : suggestionState(entry, view);
    const item = this.#view.items.get(cell.item);
    // By name a person also settles what people have decided differently (YD4).
    const isUnsettled =
      this.#rule === undefined && row.contested && view.decision?.value?.entry === entry.name;
    const isDue =
      (isUnsettled || acceptable(entry, view, this.#rule === undefined ? 'name' : 'rule')) &&
      !(isTaken && accepted) &&
      isAsRead(shown, input.if_revision) &&
      item?.deleted === false &&
      (this.#rule === undefined ||
        (says(entry.value, this.#rule.filter) && (shown?.contested ?? 0) === 0));
    const answer = { suggestion_id: entry.name, item_uid: cell.item, rule_uid: cell.rule };
    if (!isDue) {
      this.answers.push({ ...answer, status: 'left', state: now });
      return;
    }
    if (accepted) this.#taken.add(place);
    this.#entries.push({
      ...named,
      accepted,
      entries: this.#settling(
        named,
        accepted
          ? edited(
              acceptanceOf(cell.source, cell, entry as DisplayedEntry<Suggestion>, view),
              input,
            )
          : [refusalOf(named, input.reason)],
      ),
    });
    this.decided += 1;
    this.answers.push({ ...answer, status: 'decided', state: accepted ? 'accepted' : 'refused' });
    if (this.#work.due()) await yieldToEventLoop();
  }

  /** Where people decided differently about the suggestion, whoever decides next settles that. */
  #settling({ row, cell }: Named, entries: Entry[]): Entry[] {
    const reg = formatRegister({ kind: 'decision', ...cell });
    const others = this.#view.heads.conflicting(reg);
    const heads = [...(row.decisionHead === null ? [] : [row.decisionHead]), ...others];
    const parents = heads.map((head) => this.#view.stream.changes.nameOf(head)).sort();
    return entries.map((entry) =>
      entry.reg === reg ? { ...entry, op: parents.length > 1 ? 'resolve' : 'set', parents } : entry,
    );
  }

  async write(
    ctx: WriteContext,
    actor: Actor,
    { stored, profile, named }: CaseProfileDocument & { stored: StoredCase },
    reason: string | undefined,
  ): Promise<string[]> {
    if (this.#entries.length === 0) return [];
    const gesture = new Gesture();
    const { profileUid, version } = profile.document;
    const cells = await this.#openCells(ctx, profile);
    if (cells !== undefined && stored.record.profile_uid === null)
      await chooseProfile(this.#view, gesture, {
        profile_uid: profileUid,
        profile_version: version,
      });
    if (cells !== undefined && !named) await nameDocument(this.#view, gesture, profile);
    for (const { cell, entries } of this.#entries) {
      const [first, second] = entries as [Entry, Entry | undefined];
      if (second !== undefined && cells !== undefined)
        gesture.whole(this.#recordBinding(cells, cell, first.reg), first, {
          kind: 'assertion',
          ...cell,
        });
      const decision = second ?? first;
      gesture.whole(
        this.#view.layers.suggestions.decision(cell, decision.reg),
        decision,
        { kind: 'decision', ...cell },
        second !== undefined,
      );
    }
    const settles = this.#entries.some(({ entries }) => entries.some(({ op }) => op === 'resolve'));
    return place(
      ctx,
      this.#view,
      gesture,
      actor,
      reason ?? (settles ? 'Decided again.' : undefined),
    );
  }

  #rules = new Map<string, number>();
  #recordBinding(cells: CellMap, { item, rule }: Named['cell'], reg: string) {
    const row = this.#view.items.get(item);
    const column = this.#rules.get(rule);
    if (row === undefined || column === undefined) throw new Error('A cell was not loaded.');
    return assertionBinding(cells.getOrCreate(row.pk, column), reg);
  }

  /** The cells that are accepted into; undefined where none is. */
  async #openCells(
    ctx: WriteContext,
    { document, rules }: StoredProfile,
  ): Promise<CellMap | undefined> {
    const accepted = this.#entries.filter((one) => one.accepted);
    if (accepted.length === 0) return undefined;
    const items = new Set(
      accepted.flatMap(({ cell }) => this.#view.items.get(cell.item)?.pk ?? []),
    );
    const [numbers, cells] = await pipelined(
      internRules(ctx, rules),
      this.#view.matrix(document.profileUid, document.version),
    );
    this.#rules = numbers;
    const columns = new Set(accepted.flatMap(({ cell }) => numbers.get(cell.rule) ?? []));
    await cells.load([...items], [...columns], columns.size > 10);
    const regs = accepted.map(({ entries }) => (entries[0] as Entry).reg);
    await this.#view.heads.load(regs);
    await this.#view.stream.changes.loadSeqs(cells.headSeqs());
    return cells;
  }
}

/** The outcome with the source and provenance that the person states instead. */
function edited(
  [outcome, decision]: [Entry, Entry],
  { source_value, provenance, reason }: Omit<DecisionInput, 'suggestion_id'>,
): Entry[] {
  const given = Object.entries({ source_value, provenance }).filter(
    ([, member]) => member !== undefined,
  );
  const value = Object.fromEntries(
    Object.entries({ ...(outcome.value as object), ...Object.fromEntries(given) }).filter(
      ([name, member]) => name === 'raw_outcome' || member !== null,
    ),
  );
  const why = reason === undefined ? {} : { reason };
  return [
    { ...outcome, value },
    { ...decision, value: { ...(decision.value as SuggestionDecision), ...why } },
  ];
}

const refusalOf = ({ cell, entry }: Named, reason: string | undefined): Entry => ({
  op: 'set',
  parents: [],
  reg: formatRegister({ kind: 'decision', ...cell }),
  value: {
    entry: entry.name,
    verdict: 'refused',
    ...(reason !== undefined && { reason }),
  } satisfies SuggestionDecision,
});
