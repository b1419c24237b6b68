import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MENU_ACTIONS } from '../../../src/shared/contract/ipc.ts';
import {
  isStudioPage,
  MENU_PAGES,
  pageAddress,
  SERVER_PAGES,
  STUDIO_PAGES,
} from '../../../src/shared/contract/page-addresses.ts';

const TABLE = 'src/shared/contract/page-addresses.ts';
/** The address is part of a run's record, wherever its page may move. */
const RECORDED = 'src/shared/domain/run-record.ts';
const PAGES = Object.values({ ...STUDIO_PAGES, ...SERVER_PAGES });

/** Texts of the source that are the address of a page, or begin with that of the studio's pages. */
function addressesIn(text: string): string[] {
  return [...text.matchAll(/(['"`])(\/[^'"`\n]*?)(?=\1|\$\{)/g)]
    .map((match) => match[2] ?? '')
    .filter(
      (address) =>
        PAGES.some((page) => page === address.split(/[?#]/)[0]) ||
        (address.startsWith('/studio/') && address !== '/studio/*'),
    );
}

describe('addresses of pages', () => {
  it('stand in one table, which every part of the source reads', () => {
    const found = globSync('src/**/*.{ts,tsx,js,html}')
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => file !== TABLE && file !== RECORDED)
      .flatMap((file) =>
        addressesIn(readFileSync(file, 'utf8')).map((address) => `${file}: ${address}`),
      );
    expect(found).toEqual([]);
  });

  it('are found by that search', () => {
    expect(addressesIn('go(\'/studio/sync\') go(`/studio/runs/${run}`) to="/account"')).toEqual([
      '/studio/sync',
      '/studio/runs/',
      '/account',
    ]);
  });

  it('of every command that goes to a page is known while the page does not listen', () => {
    const going = MENU_ACTIONS.filter((action) => action.startsWith('go-'));
    expect(Object.keys(MENU_PAGES)).toEqual(expect.arrayContaining(going));
  });

  it('of the studio are answered with the one page, and the others are not', () => {
    for (const page of Object.values(STUDIO_PAGES)) expect(isStudioPage(page)).toBe(true);
    for (const page of Object.values(SERVER_PAGES)) expect(isStudioPage(page)).toBe(false);
    for (const page of ['/studio.webmanifest', '/account/x', '/', '/api/v1'])
      expect(isStudioPage(page)).toBe(false);
  });

  it('hold values encoded', () => {
    expect(pageAddress('case', { caseUid: 'a/b c' })).toBe('/studio/cases/a%2Fb%20c');
    expect(pageAddress('compareRuns', { runUid: 'run_1' })).toBe('/studio/runs/run_1/compare');
    expect(pageAddress('runs', {})).toBe('/studio/runs');
  });
});
