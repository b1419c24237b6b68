import { z } from 'zod';
import { isMaterial } from '../../../shared/domain/contested.ts';
import { RunSettings, DEFAULT_SETTINGS } from '../../../shared/domain/result.ts';
import type { CellAddress, MatrixSession } from '../../data/store/port.ts';
import { t } from '../../text/t.ts';

/** `material`: the cell's other value would give another result. */
export interface ContestedRunCell extends CellAddress {
  material: boolean;
}

/** What the matrix holds at this moment, as a run would freeze it. */
export interface Checklist {
  items: number;
  rules: number;
  recorded: number;
  problems: number;
  /** Problems that say in no notes what was found. */
  bareProblems: number;
  unrecorded: number;
  /** Changes of this window that the server has not committed yet. */
  waiting: number;
  contested: ContestedRunCell[];
}

export function checklistOf(session: MatrixSession): Checklist {
  const [present, problems, unavailable, unrecorded] = session.totals();
  const open: { row: number; column: number; material: boolean }[] = [];
  session.eachContested((row, column) => {
    const [shown, ...others] = session
      .alternatives(row, column)
      .filter(({ field }) => field === 'outcome')
      .map(({ raw_outcome }) => raw_outcome);
    open.push({ row, column, material: isMaterial(shown ?? null, others) });
  });
  open.sort(
    (a, b) => Number(b.material) - Number(a.material) || a.row - b.row || a.column - b.column,
  );
  const contested = open.flatMap(({ row, column, material }) => {
    const [item, rule] = [session.items[row], session.rules[column]];
    return item === undefined || rule === undefined
      ? []
      : [{ item: item.item_uid, rule, material }];
  });
  let bareProblems = problems;
  session.eachDetail((row, column, { notes }) => {
    if (session.state(row, column) === 'TRUE' && notes !== null && notes.trim() !== '')
      bareProblems -= 1;
  });
  return {
    items: session.items.length,
    rules: session.rules.length,
    recorded: present + problems + unavailable,
    problems,
    bareProblems,
    unrecorded,
    waiting: session.saveStatus.waiting,
    contested,
  };
}

/** Whether cells are contested that were not in the list that a person has read. */
export function hasOthers(read: readonly CellAddress[], now: readonly CellAddress[]): boolean {
  const known = new Set(read.map(({ item, rule }) => `${rule} ${item}`));
  return now.some(({ item, rule }) => !known.has(`${rule} ${item}`));
}

const inWords = (schema: z.ZodNumber, from: number, to: number) =>
  z
    .string()
    .trim()
    .regex(/^[0-9]*\.?[0-9]+$/, t('Must be a number from {from} to {to}.', { from, to }))
    .transform(Number)
    .pipe(
      schema
        .min(from, t('Must be at least {from}.', { from }))
        .max(to, t('Must be at most {to}.', { to })),
    );

/** A prior as typed. */
export const OwnPrior = z.object({
  prior_alpha: inWords(z.number(), 0.25, 10),
  prior_beta: inWords(z.number(), 0.25, 10),
});

/**
 * The dialog's fields as texts, to what the API takes. The reason is needed only where contested
 * cells are accepted.
 */
export const RunForm = z
  .object({
    ...OwnPrior.shape,
    ci_level: inWords(z.number(), 0.5, 0.999),
    /** The released round of independent recording to freeze; empty for none. */
    round: z.string(),
    contested: z.boolean(),
    accept: z.boolean(),
    reason: z.string(),
  })
  .superRefine((form, ctx) => {
    if (form.contested && !form.accept)
      ctx.addIssue({
        code: 'custom',
        path: ['accept'],
        message: t('Resolve the conflicts in the matrix, or accept them here.'),
      });
    if (form.contested && form.accept && form.reason.trim() === '')
      ctx.addIssue({
        code: 'custom',
        path: ['reason'],
        message: t('Say why the run is made in spite of conflicts.'),
      });
  })
  .transform(({ prior_alpha, prior_beta, ci_level, round, contested, reason }) => ({
    settings: RunSettings.parse({ prior_alpha, prior_beta, ci_level }),
    ...(round === '' ? {} : { round_id: round }),
    ...(contested ? { accept_contested: true, reason: reason.trim() } : {}),
  }));

export const INITIAL_SETTINGS = {
  prior_alpha: String(DEFAULT_SETTINGS.prior_alpha),
  prior_beta: String(DEFAULT_SETTINGS.prior_beta),
  ci_level: String(DEFAULT_SETTINGS.ci_level),
  round: '',
};

/** What stands in the fields of the dialog. */
export type RunFormValues = typeof INITIAL_SETTINGS & { accept: boolean; reason: string };
