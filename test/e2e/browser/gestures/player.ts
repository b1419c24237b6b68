import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import { goOnline, LETTER, type Raw, RECONNECTED, type Studio } from '../support/studio.ts';
import {
  type Cell,
  CASE,
  cellsSelected,
  cellsShown,
  inDatabase,
  nameOf,
  PROFILE_UID,
  type Row,
} from './places.ts';
import type { Random } from '../../../support/random.ts';

export const RAWS: readonly Raw[] = ['TRUE', 'FALSE', 'NA'];
/** More rows than this would not all be in sight; with fewer there is little to do. */
export const MOST_ITEMS = 34;
export const FEWEST_ITEMS = 14;
/** A step beyond the journal's 2,000 could no longer be taken back. */
const MOST_STEPS = 1_500;

/**
 * One window; two of one browser, of which one waits until it shows what was done in the other; two
 * that do not wait. Where windows undo each other's steps, or write one cell without having seen
 * each other, "everything undone" is no longer the start: the last kind must only agree.
 */
export type Kind = 'one window' | 'two in turn' | 'two at once';

export interface Gesture {
  weight: number;
  name: string;
  kinds?: readonly Kind[];
  run(this: void, player: Player): Promise<string>;
}

/** Sits at the windows of one browser. */
export class Player {
  page!: Page;
  readonly windows: Page[] = [];
  readonly context: BrowserContext;
  readonly studio: Studio;
  readonly key: string;
  readonly random: Random;
  readonly rules: readonly string[];
  readonly kind: Kind;
  /** Cells, and fields of rows, that anyone but the person has written. */
  readonly byAgent = new Set<string>();
  /** Rows in which anyone but the person has written anything. */
  readonly rowsOfAgent = new Set<string>();
  /** Every item there ever was. */
  readonly known: Set<string>;
  /** Cells whose source value or notes were ever touched. */
  readonly withDetails = new Set<string>();
  readonly log: string[] = [];
  readonly counts: Record<string, number>;
  readonly errors: string[] = [];
  offlineFor = 0;
  last: Cell | null = null;
  readonly #serial: () => number;

  constructor(given: {
    context: BrowserContext;
    studio: Studio;
    key: string;
    random: Random;
    rules: readonly string[];
    kind: Kind;
    known: Set<string>;
    counts: Record<string, number>;
    serial: () => number;
  }) {
    ({
      context: this.context,
      studio: this.studio,
      key: this.key,
      random: this.random,
      rules: this.rules,
      kind: this.kind,
      known: this.known,
      counts: this.counts,
      serial: this.#serial,
    } = given);
  }

  serial(): number {
    return this.#serial();
  }
  text(): string {
    return this.random.chance(0.15)
      ? ''
      : `${this.random.pick(['note', 'seen', 'µ £ "quoted"', 'line'])} ${this.serial()}`;
  }

  async open(page?: Page): Promise<void> {
    this.page = page ?? (await this.context.newPage());
    this.windows.push(this.page);
    this.page.on('pageerror', (error) => this.errors.push(error.message));
    await this.page.goto(`${this.studio.url}/studio/cases/${CASE}?profile=${PROFILE_UID}@1.0`);
    await this.opened();
  }
  async opened(): Promise<void> {
    // A filter that is kept may hide every cell.
    await expect(this.page.locator('.mx-shown')).toContainText(/ of \d+ items? shown/, {
      timeout: 20_000,
    });
  }
  async close(page: Page): Promise<void> {
    this.windows.splice(this.windows.indexOf(page), 1);
    await page.close();
    this.page = this.windows[0] ?? this.page;
  }

  /**
   * Where the middle of a cell is in the window. The card of a rule that the pointer rests on may
   * lie over it.
   */
  async middle({ item, rule }: Cell): Promise<[number, number]> {
    let found: [number, number] | null = null;
    await expect
      .poll(
        async () => {
          const place = await this.page.evaluate((label) => {
            const cell = document.querySelector(
              `[role=gridcell][aria-label^=${JSON.stringify(label)}]`,
            );
            const box = cell?.getBoundingClientRect();
            if (cell === null || box === undefined) return null;
            const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
            return { x, y, isFree: cell.contains(document.elementFromPoint(x, y)) };
          }, `${item}, ${rule}: `);
          found = place?.isFree === true ? [place.x, place.y] : null;
          if (place?.isFree === false) await this.page.mouse.move(5, 5);
          return found !== null;
        },
        { message: `${item}, ${rule} is on the screen` },
      )
      .toBe(true);
    return found!;
  }
  async clickOn(
    cell: Cell,
    modifier?: 'Control' | 'Shift',
    button: 'left' | 'right' = 'left',
  ): Promise<void> {
    const [x, y] = await this.middle(cell);
    if (modifier !== undefined) await this.page.keyboard.down(modifier);
    await this.page.mouse.click(x, y, { button });
    if (modifier !== undefined) await this.page.keyboard.up(modifier);
  }
  async drag(
    from: readonly [number, number],
    to: readonly [number, number],
    modifier?: 'Control',
  ): Promise<void> {
    if (modifier !== undefined) await this.page.keyboard.down(modifier);
    await this.page.mouse.move(...from);
    await this.page.mouse.down();
    await this.page.mouse.move(...to, { steps: 3 });
    await this.page.mouse.up();
    if (modifier !== undefined) await this.page.keyboard.up(modifier);
  }

  /** A cell on the screen; none where a filter hides all. */
  async any(): Promise<Cell | null> {
    const cells = await cellsShown(this.page);
    if (cells.length === 0) return null;
    const { item, rule } = this.random.pick(cells);
    return { item, rule };
  }
  async click(): Promise<Cell | null> {
    const cell = await this.any();
    if (cell === null) return null;
    await this.clickOn(cell);
    this.last = cell;
    return cell;
  }
  /** A block from a cell on; what was pressed. */
  async extend(most = 7): Promise<string> {
    const moves = Array.from({ length: 1 + this.random.int(most) }, () =>
      this.random.pick([
        'Shift+ArrowDown',
        'Shift+ArrowRight',
        'Shift+ArrowUp',
        'Shift+ArrowLeft',
        'Shift+ArrowDown',
        'Shift+End',
      ]),
    );
    for (const move of moves) await this.page.keyboard.press(move);
    return moves.join(' ');
  }
  /** Records in all that is selected. */
  async recordSelected(): Promise<string> {
    const [key, raw] = this.random.chance(0.25)
      ? ([this.random.pick(['Delete', 'Shift+Delete', 'Backspace']), null] as const)
      : this.random.pick(RAWS.map((state) => [LETTER[state], state] as const));
    const cells = await cellsSelected(this.page);
    await this.page.keyboard.press(key);
    await this.confirmReplacing();
    await this.expectShown(cells, raw);
    return key;
  }
  /**
   * Very many recorded cells, or a whole column by its heading, are asked about before they are
   * replaced.
   */
  async confirmReplacing(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    const question = this.page.getByRole('alertdialog', { name: /^Replace / });
    if (await question.isVisible())
      await question.getByRole('button', { name: /^Replace / }).click();
  }
  /** What was recorded is on the screen at once, wherever nobody else may write. */
  async expectShown(cells: readonly Cell[], raw: Raw | null): Promise<void> {
    if (this.kind === 'two at once') return;
    const own = new Set(cells.map(nameOf).filter((name) => !this.byAgent.has(name)));
    await expect
      .poll(
        async () =>
          (await cellsShown(this.page))
            .filter((cell) => own.has(nameOf(cell)) && cell.raw !== raw)
            .map(nameOf),
        { message: `recorded as ${raw}` },
      )
      .toEqual([]);
  }
  /**
   * The cell that the panel speaks of, its source value and its notes. The label of every item
   * begins with its uid.
   */
  panel(): Promise<string[]> {
    return this.page.evaluate(() => {
      const textOf = (selector: string): string =>
        document.querySelector(`.mx-panel ${selector}`)?.textContent ?? '';
      const areas = [
        ...document.querySelectorAll<HTMLTextAreaElement>('.mx-panel .mx-detail textarea'),
      ]
        .slice(0, 2)
        .map(({ value }) => value);
      return [
        `${textOf('.mx-panel-item').split(' ')[0]} rule_${/rule (\d+)/i.exec(textOf('.mx-panel-head'))?.[1] ?? ''}`,
        ...areas,
      ];
    });
  }
  /** The panel follows a moment later. */
  async followed(cell: Cell): Promise<void> {
    await expect
      .poll(async () => (await this.panel())[0], { intervals: [20, 50, 100] })
      .toBe(nameOf(cell));
  }

  async rows(): Promise<Row[]> {
    return (await inDatabase(this.page)).rows;
  }
  dialog(name: string | RegExp): Locator {
    return this.page.getByRole('dialog', { name });
  }
  async choose(box: Locator, option: string | RegExp): Promise<void> {
    await box.click();
    await this.page.getByRole('option', { name: option }).first().click();
    await expect(this.page.getByRole('listbox')).toHaveCount(0);
  }
  /** Two frames later. */
  async drawn(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(resolve));
        }),
    );
  }
  /** A command by its name; false where it is not to be had now. */
  async command(name: string): Promise<boolean> {
    await this.page.keyboard.press('Control+k');
    const palette = this.dialog('Commands');
    await palette.getByRole('combobox').fill(name);
    const option = palette.getByRole('option').filter({ hasText: name }).first();
    await expect(option).toBeVisible();
    const isOff = (await option.getAttribute('aria-disabled')) === 'true';
    if (isOff) await this.page.keyboard.press('Escape');
    else await option.click();
    await expect(palette).toHaveCount(0);
    // The focus goes back, and the command is done, just after it has closed.
    await this.drawn();
    return !isOff;
  }

  async play(gestures: readonly Gesture[], until: number): Promise<void> {
    const offered = gestures.filter(({ kinds }) => kinds?.includes(this.kind) ?? true);
    const total = offered.reduce((sum, { weight }) => sum + weight, 0);
    for (let played = 1; performance.now() < until; played += 1) {
      let at = this.random.int(total);
      const gesture = offered.find(({ weight }) => (at -= weight) < 0)!;
      this.log.push(`${gesture.name}: began`);
      if (this.log.length > 100) this.log.splice(0, 50);
      const done = await gesture.run(this);
      this.log[this.log.length - 1] = `${gesture.name}: ${done}`;
      this.counts[gesture.name] = (this.counts[gesture.name] ?? 0) + 1;
      await expect(this.page.locator('.dialog, .dialog-backdrop')).toHaveCount(0, RECONNECTED);
      if (this.offlineFor > 0 && (this.offlineFor -= 1) === 0) await goOnline(this.context);
      if (played % 50 === 0 && (await inDatabase(this.page)).undo > MOST_STEPS) break;
    }
    if (this.offlineFor > 0) await goOnline(this.context);
    this.offlineFor = 0;
  }
}
