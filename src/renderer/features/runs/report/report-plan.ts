import type { RunRecord } from '../../../../shared/domain/run.ts';
import type { FrozenCell } from '../../../../shared/domain/run-record.ts';

import { type PaperPlan, planPaper } from '../../../ui/paper-plan.ts';
import { t } from '../../../text/t.ts';

export const PAPERS = ['a4', 'letter'] as const;
export type Paper = (typeof PAPERS)[number];
export const ITEM_LIMITS = [100, 500, 2_000] as const;
export type ItemLimit = (typeof ITEM_LIMITS)[number];

export interface ReportChoice {
  paper: Paper;
  items: ItemLimit;
}

const MAX_DETAILS = 200;

/** The choice as the address has it; anything else there is the default. */
export function readChoice(search: URLSearchParams): ReportChoice {
  return {
    paper: PAPERS.find((paper) => paper === search.get('paper')) ?? 'a4',
    items: ITEM_LIMITS.find((limit) => String(limit) === search.get('items')) ?? 500,
  };
}

export interface ReportPlan {
  /** Items of the table of results. */
  items: number;
  matrix: PaperPlan;
  details: readonly FrozenCell[];
}

export function planReport({ frozen }: Pick<RunRecord, 'frozen'>, limit: number): ReportPlan {
  const items = Math.min(frozen.items.length, limit);
  return {
    items,
    matrix: planPaper(items, frozen.rules.length),
    details: frozen.cells.slice(0, MAX_DETAILS),
  };
}

/** What of a long list is on paper, and where the rest is; empty where all of it is. */
export function leftOut(shown: number, all: number, what: 'items' | 'cells'): string {
  return shown >= all
    ? ''
    : t(
        'The first {shown, number} of {all, number} {what, select, items {items} other {cells}} are printed. The downloads of the run hold all of them.',
        { shown, all, what },
      );
}

/** Text for a quoted CSS string: nothing in it can end the string. */
const cssString = (text: string): string => `"${text.replaceAll(/[^\p{L}0-9 .,:;/_+-]/gu, '')}"`;

/** At the head of each page. */
export const pageWords = (): string =>
  t('Evidence Studio: evidence sufficiency under one profile, never truth');

/** Size and margins of the page, with the run, its hash and the page's number on each. */
export function pageRule(
  { run_uid, content_hash }: Pick<RunRecord, 'run_uid' | 'content_hash'>,
  paper: Paper,
): string {
  const words = 'font: 7.5pt system-ui, sans-serif; color: #444;';
  return `@page {
  size: ${paper === 'a4' ? 'A4' : 'letter'} portrait; margin: 18mm 15mm 20mm;
  @top-left { content: ${cssString(pageWords())}; ${words} }
  @bottom-left { content: ${cssString(`${run_uid}  ${content_hash}`)}; ${words} }
  @bottom-right { content: counter(page) " / " counter(pages); ${words} }
}`;
}
