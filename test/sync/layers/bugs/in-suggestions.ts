import { asKey, asUser } from '../../../support/ids.ts';
import type { Bug } from '../campaign.ts';
import { A } from '../cast.ts';
import { asBy, core } from './plant.ts';

/** Bugs of suggestions and of what is decided about them. */
export const IN_SUGGESTIONS: Record<string, Bug> = {
  'a-program-decides': asBy(/^d\//, () => A),
  'anybody-writes-for-a-source': asBy(/^s\//, ({ by }, reg) => {
    const source = reg.split('/')[1] ?? '';
    return source.startsWith('usr_')
      ? { ...A, user: asUser(source) }
      : { ...by, kind: 'agent', key: asKey(source) };
  }),
  'acceptance-without-the-outcome': core((real) => ({
    appliedRegister: (change, index, schema) => {
      const entry = change.entries[index];
      if (entry?.reg.startsWith('d/') !== true || entry.value === null)
        return real.appliedRegister(change, index, schema);
      const refusal = { ...entry, value: { ...(entry.value as object), verdict: 'refused' } };
      return real.appliedRegister({ ...change, entries: [refusal] }, 0, schema);
    },
  })),
  'from-is-believed': core((real) => ({
    originOf: (written, find) => {
      const { change, index } = written;
      const [name] = change.entries[index]?.from ?? [];
      const named = name === undefined ? undefined : find(name);
      return name !== undefined && named?.register.kind === 'suggestion'
        ? {
            kind: 'accepted',
            suggestion: name,
            source: named.register.source,
            author: named.by,
            by: change.by,
            edited: false,
          }
        : real.originOf(written, find);
    },
  })),
  'from-is-forgotten': core((real) => ({
    acceptanceOf: (...given) => {
      const [{ from: _from, ...outcome }, decision] = real.acceptanceOf(...given);
      return [outcome, decision];
    },
  })),
  'a-rule-accepts-what-is-stale': core((real) => ({
    acceptable: (entry, view, _by): entry is never => real.acceptable(entry, view, 'name'),
  })),
  'a-rule-accepts-as-previewed': core((real) => ({
    acceptable: (entry, view, by): entry is never =>
      by === 'rule' ? entry.value !== null : real.acceptable(entry, view, by),
  })),
  'basis-is-not-compared': core((real) => ({
    suggestionState: (...given) => {
      const state = real.suggestionState(...given);
      return state === 'stale' ? 'open' : state;
    },
  })),
  'document-is-not-compared': core((real) => ({
    suggestionState: (entry, view) => real.suggestionState(entry, { ...view, document: undefined }),
  })),
  'what-came-back-is-stale': core(() => ({ broughtBack: () => [] })),
  'superseded-stays-open': core((real) => ({
    suggestionState: (entry, view) => real.suggestionState(entry, { ...view, suggestion: entry }),
  })),
  'decision-about-the-latest': core((real) => ({
    suggestionState: (entry, view) => {
      const decision = view.decision?.value ?? null;
      return view.suggestion?.name === entry.name && decision !== null
        ? decision.verdict
        : real.suggestionState(entry, view);
    },
  })),
  'an-undo-accepts-without-the-outcome': core((real) => ({
    takenBack: (source, cell, view, before) => {
      const [{ from: _from, ...outcome }, decision] = real.takenBack(source, cell, view, before);
      return [outcome, { ...decision, value: before.decision }];
    },
  })),
  'a-source-contests-itself': core((real) => ({
    mayConflict: (register) => register.kind === 'suggestion' || real.mayConflict(register),
  })),
  'decisions-never-contest': core((real) => ({
    mayConflict: (register) => register.kind !== 'decision' && real.mayConflict(register),
  })),
  'a-suggestion-makes-a-row': core((real) => ({
    rowOf: (register, stream) =>
      register.kind === 'suggestion' ? register.item : real.rowOf(register, stream),
  })),
};
