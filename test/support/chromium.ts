/** The browser of the end-to-end tests. */
import { findProgram } from './find-program.ts';
import { IS_LONG } from './length.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** As root Chromium has no sandbox to start; the others keep it quiet and off the network. */
export const CHROMIUM_ARGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Chromium without windows, tabs and menus: a test takes two thirds of the CPU there. */
const findShell = (): string | undefined =>
  findProgram({
    variable: 'CHROMIUM_PATH',
    places: () => ['/usr/bin/chromium-headless-shell'],
    debian: 'chromium-headless-shell',
  });

/** The whole browser, for a suite about what only that has. */
export function findChromium(): string {
  const installed = findProgram({
    variable: 'CHROMIUM_PATH',
    places: () => PLACES,
    debian: 'chromium',
  });
  if (installed === undefined)
    throw new Error(
      'The browser tests need Chromium or Chrome: install it, or name it in CHROMIUM_PATH.',
    );
  return installed;
}

/**
 * The browser of the suites: without windows in CI, the whole one in the long form. Found once: the
 * processes that Playwright starts take it from the first.
 */
export const findTestBrowser = (): string =>
  (process.env.EVIDENCE_TEST_BROWSER ??= (IS_LONG ? undefined : findShell()) ?? findChromium());
