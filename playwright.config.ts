import { defineConfig } from '@playwright/test';
import { IN_LONG_FORM, IS_LONG, seedOf } from './test/support/length.ts';
import { CHROMIUM_ARGS, findTestBrowser } from './test/support/chromium.ts';

// Titles name the seed: the processes that run the tests take it from this first one.
if (IS_LONG) process.env.EVIDENCE_TEST_SEED ??= String(seedOf());

/** The runs of package.json name one kind of project each. Only the browser needs Chromium. */
const ONLY_ELECTRON = process.argv.some((word) => word.startsWith('--project=electron'));
const specs = (...names: string[]): string[] => names.map((name) => `${name}.spec.ts`);
/** Desktops that share a display share its clipboard too: these run one after another. */
const WITH_CLIPBOARD = specs('agents', 'clipboard', 'data', 'sync');
/** The pointer must stay where it is: no other window may open meanwhile. */
const ALONE = specs('paste-correct-run');
const ELECTRON = {
  testDir: 'test/e2e/electron',
  outputDir: 'test-results/electron',
  workers: 1,
};

export default defineConfig({
  forbidOnly: process.env.CI !== undefined,
  ...(IS_LONG ? {} : { grepInvert: new RegExp(IN_LONG_FORM.tag) }),
  fullyParallel: false,
  workers: 2,
  retries: 0,
  // Browsers, applications and servers of several processes each share a machine that may have two
  // slow cores: what takes long there is not wrong.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [
    ['dot'],
    ['json', { outputFile: `test-results/${ONLY_ELECTRON ? 'electron' : 'browser'}.json` }],
  ],
  projects: [
    {
      name: 'browser',
      testDir: 'test/e2e/browser',
      outputDir: 'test-results/browser',
      use: {
        browserName: 'chromium',
        headless: true,
        // One would keep every build's files in every test; those that are about it let it in.
        serviceWorkers: 'block',
        viewport: { width: 1280, height: 800 },
        // An hour of gestures must not wait for ever for one element.
        actionTimeout: 30_000,
        screenshot: 'only-on-failure',
        // Recording costs a quarter of the time of every test: `--trace on` records.
        launchOptions: {
          executablePath: ONLY_ELECTRON ? '' : findTestBrowser(),
          args: [...CHROMIUM_ARGS],
        },
      },
    },
    { ...ELECTRON, name: 'electron', testIgnore: [...WITH_CLIPBOARD, ...ALONE] },
    { ...ELECTRON, name: 'electron-clipboard', testMatch: WITH_CLIPBOARD },
    {
      ...ELECTRON,
      name: 'electron-alone',
      testMatch: ALONE,
      dependencies: ['electron', 'electron-clipboard'],
    },
  ],
});
