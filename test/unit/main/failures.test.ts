import { describe, expect, it } from 'vitest';
import { askAboutDamage, damageIn, sentenceFor } from '../../../src/main/failures.ts';
import { runtimeProblem } from '../../../src/main/runtime.ts';
import { ConfigError } from '../../../src/server/config/binding.ts';
import { FolderInUseError } from '../../../src/server/instance/data-folder.ts';
import { StoreOpenError } from '../../../src/server/storage/db/errors.ts';
import { createFakeElectron } from './fake-electron.ts';

const coded = (code: string): Error =>
  Object.assign(new Error(`/home/person/secret: ${code}`), { code });

describe('a failure in one sentence', () => {
  it('says what the store, the configuration and the lock say', () => {
    for (const error of [
      new StoreOpenError('too_new', 'Newer.'),
      new ConfigError('Not a port.'),
      new FolderInUseError('http://127.0.0.1:1'),
    ])
      expect(sentenceFor(error)).toBe(error.message);
  });

  it('knows a full disk and a folder that takes no writes', () => {
    expect(sentenceFor(coded('ENOSPC'))).toContain('disk is full');
    for (const code of ['EACCES', 'EPERM', 'EROFS'])
      expect(sentenceFor(coded(code))).toContain('data folder');
  });

  it('tells nothing of an unknown error but its code', () => {
    for (const error of [coded('EWEIRD'), new Error('/home/person/secret'), 'text', undefined])
      expect(sentenceFor(error)).not.toContain('secret');
    expect(sentenceFor(coded('EWEIRD'))).toContain('EWEIRD');
  });
});

describe('damage', () => {
  it('is what a backup would help', () => {
    expect(damageIn(new StoreOpenError('not_a_database', 'Broken.'))).toBe('Broken.');
    expect(damageIn('The database file is damaged. It can be read.')).toContain('damaged');
    expect(damageIn(Object.assign(new Error('x'), { errcode: 11 }))).toContain('damaged');
    for (const other of [
      new StoreOpenError('too_new', 'Newer.'),
      'The database file is write-protected.',
      null,
      undefined,
      coded('EACCES'),
    ])
      expect(damageIn(other)).toBeUndefined();
  });

  it('closing the question quits and changes nothing', async () => {
    const { electron, boxes } = createFakeElectron({ answers: [99] });
    expect(await askAboutDamage(electron.dialog, 'Broken.', '/b/1.sqlite', true)).toBe('quit');
    expect(boxes[0]).toMatchObject({ cancelId: 2 });
  });

  it('a timer keeps the process awake while the question stands, and no longer', async () => {
    const { electron } = createFakeElectron();
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    let during = 0;
    await askAboutDamage(
      { ...electron.dialog, showMessageBox: async () => ((during = timers()), { response: 0 }) },
      'Broken.',
      undefined,
      false,
    );
    expect([during, timers()]).toEqual([before + 1, before]);
  });
});

describe('the runtime', () => {
  it('is refused where it is older than the oldest that is supported', () => {
    expect(runtimeProblem({ electron: '33.4.11' }, false)).toContain('33.4.11');
    expect(runtimeProblem({ electron: '33.4.11' }, true)).toBeUndefined();
    for (const electron of ['43.0.0', '45.4.1', '100.0.0'])
      expect(runtimeProblem({ electron }, false)).toBeUndefined();
  });
});
