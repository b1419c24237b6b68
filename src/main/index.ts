import * as electron from 'electron';
import { runtimeProblem } from './runtime.ts';

/** Composition root of the desktop. An old runtime is refused before anything imports `node:sqlite`. */
const problem = runtimeProblem(process.versions, process.env.EVIDENCE_STUDIO_ALLOW_OLD_SQLITE === '1');
if (problem === undefined) {
  const [{ startDesktop }, { readConfig }, { dataFolder, prepareFolder }, { openLog }] = await Promise.all([
    import('./desktop.ts'),
    import('../server/config.ts'),
    import('../server/data-folder.ts'),
    import('./log-file.ts'),
  ]);
  try {
    const config = readConfig(process.env);
    const folder = dataFolder(config.dataFolder);
    prepareFolder(folder);
    // Not awaited: Electron becomes ready only after this file has run.
    void startDesktop(electron, { config, dataFolder: folder, argv: process.argv.slice(1), platform: process.platform, process, built: import.meta.dirname, log: openLog(folder) });
  } catch (error) {
    const { sentenceFor } = await import('./failures.ts');
    fail(sentenceFor(error));
  }
} else fail(problem);

function fail(sentence: string): void {
  console.error(sentence);
  electron.dialog.showErrorBox('Evidence Studio cannot start', sentence);
  electron.app.exit(1);
}
