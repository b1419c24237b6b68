import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { denyNavigation, denyPermissions } from '../../../src/main/guards.ts';
import { createFakeElectron, FakeContents, FakeSession } from './fake-electron.ts';

const FOREIGN = [
  'https://main',
  'https://example.com/?app://studio',
  'http://127.0.0.1:4610/studio',
  'http://studio/studio',
  'file:///etc/passwd',
  'file://studio/studio',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:https://example.com/1',
  'about:blank',
  'about:srcdoc',
  'app://studio.evil/studio',
  'app://studio@evil/studio',
  'app://evil@studio/studio',
  'app://studio:80/studio',
  'app://studi/studio',
  'app:///studio',
  'app:studio',
  'apps://studio/studio',
  'chrome://gpu',
  'devtools://devtools/x',
  'ftp://studio/',
  'view-source:app://studio/studio',
  '',
  'app://studio/api/v1/projects',
  'app://studio/api',
  'not a url',
];
const OURS = [
  'app://studio/studio',
  'app://studio/studio/cases/chr1:12345:A%3EG?x=1#y',
  'app://studio/account',
  'app://studio/apiary',
];

function contents(): FakeContents {
  const { app } = createFakeElectron();
  denyNavigation(app);
  const created = new FakeContents();
  app.emit('web-contents-created', {}, created);
  return created;
}

function isPrevented(
  target: FakeContents,
  name: string,
  url: string,
  style: 'in the event' | 'beside it',
): boolean {
  let prevented = false;
  const event = {
    preventDefault: () => (prevented = true),
    ...(style === 'in the event' ? { url } : {}),
  };
  target.emit(name, event, url);
  return prevented;
}

describe('E5 navigation', () => {
  for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
    for (const style of ['in the event', 'beside it'] as const) {
      it(`E5 ${name}: foreign addresses are prevented, address ${style}`, () => {
        const target = contents();
        expect(FOREIGN.filter((url) => !isPrevented(target, name, url, style))).toEqual([]);
        expect(OURS.filter((url) => isPrevented(target, name, url, style))).toEqual([]);
      });
    }
  }

  it('E5 no window opens, whatever the address', () => {
    const target = contents();
    for (const url of [...FOREIGN, ...OURS])
      expect(target.windowOpen?.({ url })).toEqual({ action: 'deny' });
  });

  it('E5 no webview is attached', () => {
    let prevented = false;
    contents().emit('will-attach-webview', { preventDefault: () => (prevented = true) });
    expect(prevented).toBe(true);
  });
});

/** Every permission name that Electron's own types know. */
function permissionNames(): Set<string> {
  const types = readFileSync(path.resolve('node_modules/electron/electron.d.ts'), 'utf8');
  const lines = types
    .split('\n')
    .filter((line) => /setPermission(Request|Check)Handler\(handler/.test(line));
  return new Set(
    lines.flatMap((line) =>
      [...(/permission: ((?:'[^']+'(?: \| )?)+)/.exec(line)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(
        (match) => match[1] ?? '',
      ),
    ),
  );
}

describe('E6 permissions', () => {
  const session = new FakeSession();
  denyPermissions(session);
  const names = permissionNames();
  const requested = (name: string): boolean => {
    let answer: boolean | undefined;
    session.handlers.request?.(
      {} as never,
      name as never,
      ((granted: boolean) => (answer = granted)) as never,
    );
    return answer === true;
  };

  it('E6 the names come from the types of the pinned Electron', () => {
    expect(names.size).toBeGreaterThan(40);
    for (const name of ['media', 'local-network', 'loopback-network', 'openExternal', 'unknown'])
      expect(names).toContain(name);
  });

  it('E6 every permission is refused but for writing plain text to the clipboard', () => {
    expect([...names, 'invented-tomorrow'].filter(requested)).toEqual([
      'clipboard-sanitized-write',
    ]);
    expect(
      [...names, 'invented-tomorrow'].filter(
        (name) => session.handlers.check?.({} as never, name as never) === true,
      ),
    ).toEqual(['clipboard-sanitized-write']);
  });

  it('E6 devices, screens and pairings are refused', () => {
    expect(session.handlers.device?.()).toBe(false);
    let streams: unknown = 'none';
    session.handlers.display?.({} as never, ((given: unknown) => (streams = given)) as never);
    expect(streams).toBeNull();
    let pairing: unknown;
    session.handlers.bluetooth?.({} as never, ((given: unknown) => (pairing = given)) as never);
    expect(pairing).toEqual({ confirmed: false });
    expect(session.handlers.usb?.({ protectedClasses: ['hid', 'video'] } as never)).toEqual([
      'hid',
      'video',
    ]);
    let port: string | undefined;
    session.emit(
      'select-serial-port',
      { preventDefault: () => undefined },
      [],
      {},
      (chosen: string) => (port = chosen),
    );
    expect(port).toBe('');
    expect(session.spellchecker).toBe(false);
  });

  const download = (url: string, name: string): { prevented: boolean; asked: boolean } => {
    const seen = { prevented: false, asked: false };
    session.emit(
      'will-download',
      { preventDefault: () => (seen.prevented = true) },
      {
        getURL: () => url,
        getFilename: () => name,
        setSaveDialogOptions: () => (seen.asked = true),
      },
    );
    return seen;
  };

  it('E6 an export of the page asks where to save it', () => {
    for (const name of ['run_1.csv', 'run_1.JSON', 'matrix.xlsx', 'chart.svg'])
      expect(download('blob:app://studio/6c1e', name)).toEqual({ prevented: false, asked: true });
  });

  it('E6 every other download is cancelled', () => {
    const blob = 'blob:app://studio/6c1e';
    for (const [url, name] of [
      [blob, 'x.exe'],
      [blob, 'run.csv.sh'],
      [blob, 'csv'],
      [blob, ''],
      ['https://example.com/x.csv', 'x.csv'],
      ['data:text/csv,1', 'x.csv'],
      ['blob:app://studio.evil/1', 'x.csv'],
      ['blob:null/1', 'x.csv'],
      ['file:///x.csv', 'x.csv'],
    ] as const) {
      expect(download(url, name)).toEqual({ prevented: true, asked: false });
    }
  });
});
