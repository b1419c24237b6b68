import type { Bug } from '../campaign.ts';
import { realCore } from '../core.ts';
import { NEWEST } from '../world.ts';
import { core, hide, onLogs, onWorld } from './plant.ts';

/** Readings of the rules that a text about changes leaves open once changes have entries. */
export const READINGS: Record<string, Bug> = {
  'parent-of-any-register': onLogs((store) => {
    const { enter } = store;
    store.enter = (held, index) => {
      const parents = held.change.entries[index]?.parents ?? [];
      enter.call(store, held, index);
      for (const reg of store.views.registers.keys()) hide(store, reg, parents);
    };
  }),
  'siblings-not-covered': core(() => ({
    editsUnderDeletion: (deletion, heads) =>
      heads.filter(({ name }) => !deletion.covers.includes(name)),
  })),
  'newer-schema-withdraws': core((real) => ({
    appliedRegister: (change, index, schema) => {
      const needs = (change.entries[index] as { schema?: number } | undefined)?.schema ?? 1;
      return needs > 1 && needs < NEWEST && schema === NEWEST
        ? undefined
        : real.appliedRegister(change, index, schema);
    },
  })),
  'size-policy-per-store': onWorld(({ hosted }) => {
    hosted.classify = (change, index) =>
      JSON.stringify(change.entries[index]?.value).length > 40
        ? undefined
        : realCore.appliedRegister(change, index, hosted.schema);
  }),
};
