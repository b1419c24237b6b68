import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  configurationOf,
  createBundle,
  HOSTS,
} from '../../../src/renderer/features/account/agents/hosts.ts';
import { readZipDirectory } from '../../../src/renderer/files/zip.ts';

const COMMAND = ['/opt/node', "/home/Ada's files/bin.js", 'mcp', '--data', '/data'];
const of = (name: string) => HOSTS.find(({ host }) => host === name)!;

describe('the configuration of a host', () => {
  it.each([
    ['claude-desktop', 'mcpServers', 'Claude Desktop'],
    ['cursor', 'mcpServers', 'Cursor'],
    ['vscode', 'servers', 'VS Code'],
    ['other', 'mcpServers', 'Agent over MCP'],
  ])('of %s starts the command of this computer under its own name', (host, member, name) => {
    const written = JSON.parse(configurationOf(of(host), COMMAND));
    expect(written[member]['evidence-studio']).toMatchObject({
      command: COMMAND[0],
      args: [...COMMAND.slice(1), '--name', name],
    });
  });

  it('of Claude Code is a command that a shell reads as it is meant', () => {
    const line = configurationOf(of('claude-code'), COMMAND);
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' });
    expect(words.trimEnd().split('\n')).toEqual([
      ...['claude', 'mcp', 'add', 'evidence-studio', '--'],
      ...[...COMMAND, '--name', 'Claude Code'],
    ]);
  });

  it('of Claude Code on Windows is quoted with double quotes', () => {
    const command = [
      String.raw`C:\Program Files\Studio\studio.exe`,
      'mcp',
      '--data',
      String.raw`D:\my data` + '\\',
    ];
    expect(configurationOf(of('claude-code'), command)).toBe(
      String.raw`claude mcp add evidence-studio -- "C:\Program Files\Studio\studio.exe" mcp --data "D:\my data\\" --name "Claude Code"`,
    );
  });

  it('is also a bundle, with a manifest and what starts the command', async () => {
    const bundle = await createBundle(COMMAND, '0.3.0');
    expect([...(await readZipDirectory(bundle)).keys()]).toEqual([
      'manifest.json',
      'server/index.js',
    ]);
  });
});
