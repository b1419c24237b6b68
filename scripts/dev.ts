/**
 * `npm run dev`: the studio for a browser, rebuilt and served again at every change. It runs the
 * same code as a release; reload the page by hand.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { ROOT } from './build.ts';

const node = (...args: string[]): ChildProcess =>
  spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });

const children = [
  node(
    'node_modules/vite/bin/vite.js',
    'build',
    '-c',
    'vite.renderer.config.ts',
    '--watch',
    '--logLevel',
    'warn',
  ),
  node('--watch', 'scripts/serve-source.ts', ...process.argv.slice(2)),
];
const stop = (): void => children.forEach((child) => child.kill());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
for (const child of children) child.on('exit', stop);
