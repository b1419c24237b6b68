/** The browser of the end-to-end tests. */
import { findProgram } from './find-program.ts';

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
function findShell(): string | undefined {
  return findProgram({
    variable: 'CHROMIUM_PATH',
    places: () => ['/usr/bin/chromium-headless-shell'],
    debian: 'chromium-headless-shell',
  });
}

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
 * The browser of the suites. `EVIDENCE_TEST_BROWSER=shell` takes the one without windows, which does
 * not know whether a page can be installed: `installed.spec.ts` fails there.
 */
export const findTestBrowser = (): string =>
  (process.env.EVIDENCE_TEST_BROWSER === 'shell' ? findShell() : undefined) ?? findChromium();
