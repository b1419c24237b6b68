import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/server/commands/bin.ts';
import { examine, type Examined } from '../../../src/server/doctor/examine.ts';
import { databaseFile } from '../../../src/server/instance/data-folder.ts';
import { openData } from '../../../src/server/open-data.ts';
import { DoctorReport, type FindingCode, FINDINGS } from '../../../src/shared/contract/doctor.ts';
import type { UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';
import { newFolder, start } from './start.ts';

const CANARY = 'CANARY_7f3a';

async function opened(): Promise<{ folder: string; examined: Examined }> {
  const folder = newFolder();
  await using data = await openData(folder);
  return {
    folder,
    examined: {
      folder,
      version: '1',
      store: data.store,
      secretProblem: null,
      server: undefined,
      port: 0,
      uplink: undefined,
      env: {},
      fetch: () => Promise.reject(new Error('nothing is asked')),
      now: () => Date.now(),
    },
  };
}

const codes = ({ findings }: DoctorReport): FindingCode[] => findings.map(({ code }) => code);

/** Each `{name}` of a sentence has its value. */
function expectWhole(report: DoctorReport): void {
  for (const { code, values } of report.findings)
    expect(
      FINDINGS[code].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name])),
    ).not.toMatch(/undefined/);
}

const connected = (url: string): UplinkStatus =>
  ({
    connection: { url },
    totals: { waiting: 3, oldest: '2026-01-01T00:00:00.000Z', blocked: 2 },
  }) as UplinkStatus;

describe('the examination of a studio', () => {
  it('finds a running desktop in order, and hands the page a report without evidence', async () => {
    const { ipc, windows, folder } = await start();
    const { webContents } = windows[0]!;
    const answer = (await ipc.get('desktop:examine')?.(
      { sender: webContents, senderFrame: webContents.mainFrame },
      {},
    )) as { ok: true; value: unknown };
    const report = DoctorReport.parse(answer.value);
    expect(codes(report)).toEqual(
      expect.arrayContaining(['folder_ok', 'database_ok', 'chains_ok', 'keys_in_file', 'clock_ok']),
    );
    expect(report.ok).toBe(true);
    expectWhole(report);
    expect(existsSync(path.join(folder, 'server.json'))).toBe(true);
  });

  it('tells what is missing before the first start, and makes nothing', async () => {
    const { examined } = await opened();
    const folder = path.join(newFolder(), 'none');
    const report = await examine({ ...examined, folder, store: undefined });
    expect(codes(report).slice(0, 2)).toEqual(['folder_missing', 'database_missing']);
    expect(report.ok).toBe(true);
    expect(existsSync(folder)).toBe(false);
  });

  it('finds folders and keys that others can read, a clock that is behind, a server that is gone', async () => {
    const folder = newFolder();
    await using data = await openData(folder);
    chmodSync(folder, 0o755);
    chmodSync(path.join(folder, 'pepper.key'), 0o644);
    const { examined } = await opened();
    const report = await examine({
      ...examined,
      folder,
      store: data.store,
      now: () => Date.parse('2001-01-01T00:00:00Z'),
      server: { url: 'http://127.0.0.1:9', answers: false },
      env: { HTTPS_PROXY: `http://ada:${CANARY}@proxy` },
    });
    expect(codes(report)).toEqual(
      expect.arrayContaining(['folder_open', 'keys_file_open', 'server_silent', 'proxy_set']),
    );
    expect(report.ok).toBe(false);
    expectWhole(report);
    expect(JSON.stringify(report)).not.toContain(CANARY);
  });

  it('finds a database that is damaged in the middle, where nothing reads it otherwise', async () => {
    const folder = newFolder();
    await (await openData(folder))[Symbol.asyncDispose]();
    const file = databaseFile(folder);
    const bytes = readFileSync(file);
    bytes.fill(0xa5, bytes.length - 8 * 4_096);
    const damaged = path.join(newFolder(), 'evidence.sqlite');
    await using data = await openData(folder);
    copyFileSync(file, damaged);
    writeFileSync(damaged, bytes);
    const { examined } = await opened();
    const report = await examine({ ...examined, folder: path.dirname(damaged), store: data.store });
    expect(codes(report)).toContain('database_damaged');
    expectWhole(report);
  });

  it('asks the hosted server: its version and clock, or why it does not answer', async () => {
    const { examined } = await opened();
    const now = Date.parse('2026-01-01T00:00:00Z');
    const asked = { ...examined, store: undefined, now: () => now };
    const at = (date: string) => () =>
      Promise.resolve(
        new Response(JSON.stringify({ info: { version: '0.3.0' } }), { headers: { date } }),
      );
    const near = await examine({
      ...asked,
      uplink: connected('https://lab.example.org'),
      fetch: at('Thu, 01 Jan 2026 00:00:07 GMT'),
    });
    expect(near.findings).toContainEqual({
      code: 'hosted_ok',
      state: 'ok',
      values: { url: 'https://lab.example.org', version: '0.3.0', seconds: 7 },
    });
    expect(codes(near)).toEqual(expect.arrayContaining(['waiting', 'blocked']));
    const far = await examine({
      ...asked,
      uplink: connected('https://lab.example.org'),
      fetch: at('Thu, 01 Jan 2026 01:00:00 GMT'),
    });
    expect(codes(far)).toContain('hosted_clock');
    const gone = await examine({
      ...asked,
      uplink: connected('https://lab.example.org'),
      fetch: () => Promise.reject(new Error('net::ERR_CERT_AUTHORITY_INVALID')),
    });
    expect(gone.findings.find(({ code }) => code === 'hosted_unreachable')?.values).toMatchObject({
      code: 'net::ERR_CERT_AUTHORITY_INVALID',
    });
    for (const report of [near, far, gone]) expectWhole(report);
  });

  it('is a command, in words and as JSON', async () => {
    const folder = newFolder();
    const said: string[] = [];
    const { log } = console;
    console.log = (line: string) => void said.push(line);
    try {
      await (await openData(folder))[Symbol.asyncDispose]();
      await main(['doctor', '--data', folder]);
      await main(['doctor', '--data', folder, '--json']);
      await main(['--version']);
    } finally {
      console.log = log;
      process.exitCode = 0;
    }
    expect(said[0]).toMatch(/✓ The database \(\d/);
    expect(DoctorReport.parse(JSON.parse(said[1] ?? '')).findings.length).toBeGreaterThan(5);
    expect(said[2]).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
