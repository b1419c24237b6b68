import * as electron from 'electron';
import { startAhead } from '../server/thread/start.ts';
import { runtimeProblem } from './runtime.ts';

/**
 * Composition root of the desktop. An old runtime is refused before anything imports `node:sqlite`.
 */
const problem = runtimeProblem(
  process.versions,
  process.env.EVIDENCE_STUDIO_ALLOW_OLD_SQLITE === '1',
);
if (problem === undefined) {
  const { argv, platform } = process;
  const { commandWords, runCommand } = await import('./command-line.ts');
  const words = commandWords(argv.slice(1));
  const threadFile = new URL('./store-thread.js', import.meta.url);
  if (words === undefined) startAhead(threadFile);
  const [
    { startDesktop },
    { readConfig },
    { dataFolder, prepareFolder },
    { openLog },
    { sentenceFor },
  ] = await Promise.all([
    import('./desktop.ts'),
    import('../server/config/config.ts'),
    import('../server/instance/data-folder.ts'),
    import('./log-file.ts'),
    import('./failures.ts'),
  ]);
  const start = async (): Promise<void> => {
    if (words !== undefined)
      return runCommand(electron, words, {
        argv,
        platform,
        built: import.meta.dirname,
        exitCode: () => Number(process.exitCode ?? 0),
      });
    const config = readConfig(process.env);
    const folder = dataFolder(config.dataFolder);
    prepareFolder(folder);
    await startDesktop(electron, {
      config,
      dataFolder: folder,
      argv: argv.slice(1),
      platform,
      process,
      built: import.meta.dirname,
      resources: process.resourcesPath,
      threadFile,
      log: openLog(folder),
    });
  };
  // Not awaited: Electron becomes ready only after this file has run.
  void start().catch((error: unknown) => fail(sentenceFor(error)));
} else void fail(problem);

/** Before Electron is ready a message box is not shown on every platform. */
async function fail(sentence: string): Promise<void> {
  console.error(sentence);
  await electron.app.whenReady();
  electron.dialog.showErrorBox('Evidence Studio cannot start', sentence);
  electron.app.exit(1);
}
