import { createZip } from '../../../files/zip.ts';
import { t } from '../../../text/t.ts';

/** Programs in which agents work, and how the studio is configured in each. */
export type AgentHost = 'claude-desktop' | 'claude-code' | 'vscode' | 'cursor' | 'other';

export interface HostEntry {
  host: AgentHost;
  /** A proper name, or words for any other. */
  name: string;
  /** Where the configuration goes. */
  where: string;
}

export const HOSTS: readonly HostEntry[] = [
  {
    host: 'claude-desktop',
    name: 'Claude Desktop',
    where: t(
      'Settings, Developer, Edit Config: add it to claude_desktop_config.json, then start Claude Desktop again. Or save the bundle and open it.',
    ),
  },
  { host: 'claude-code', name: 'Claude Code', where: t('Run it in a shell.') },
  {
    host: 'vscode',
    name: 'VS Code',
    where: t('Save it as .vscode/mcp.json in the folder that you work in.'),
  },
  {
    host: 'cursor',
    name: 'Cursor',
    where: t('Save it as .cursor/mcp.json in your home folder, or in that of the project.'),
  },
  {
    host: 'other',
    name: t('Another host'),
    where: t('Most hosts take this form: a command with arguments, over standard input.'),
  },
];

const SERVER = 'evidence-studio';
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** A word of a command as shells read it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** The same as cmd and PowerShell read it, and programs of Windows take their words apart. */
const quotedOnWindows = (word: string): string =>
  /^[\w@+=:./\\-]+$/.test(word)
    ? word
    : `"${word.replaceAll(/(\\*)(?="|$)/g, '$1$1').replaceAll('"', String.raw`\"`)}"`;

/** A program of Windows is on a drive, or in a share. */
const isOfWindows = (program: string): boolean => /^([a-z]:[\\/]|\\\\)/i.test(program);

/** The command with the name under which the host's agent asks to be let in. */
const named = (command: readonly string[], name: string): { command: string; args: string[] } => {
  const [program = '', ...args] = command;
  return { command: program, args: [...args, '--name', name] };
};

/** The configuration of a host, to be copied. */
export function configurationOf({ host, name }: HostEntry, command: readonly string[]): string {
  const start = named(command, host === 'other' ? 'Agent over MCP' : name);
  switch (host) {
    case 'claude-code':
      return `claude mcp add ${SERVER} -- ${[start.command, ...start.args]
        .map(isOfWindows(start.command) ? quotedOnWindows : quoted)
        .join(' ')}`;
    case 'vscode':
      return json({ servers: { [SERVER]: { type: 'stdio', ...start } } });
    case 'claude-desktop':
    case 'cursor':
    case 'other':
      return json({ mcpServers: { [SERVER]: start } });
  }
}

/** What starts the studio's own command from the bundle, for hosts that start its file instead. */
const launcherOf = ({ command, args }: { command: string; args: string[] }): string =>
  `const { spawn } = require('node:child_process');
const child = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));
child.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
`;

/** English, as the rest of the manifest: hosts show it. */
const ABOUT = 'Reads matrices of Evidence Studio and suggests outcomes; a person decides.';

/** A bundle that Claude Desktop installs when it is opened; for this computer alone. */
export function createBundle(command: readonly string[], version: string): Promise<Blob> {
  const start = named(command, 'Claude Desktop');
  const manifest = {
    manifest_version: '0.3',
    name: SERVER,
    display_name: 'Evidence Studio',
    version,
    description: ABOUT,
    author: { name: 'Evidence Studio' },
    license: 'MIT',
    server: { type: 'node', entry_point: 'server/index.js', mcp_config: start },
  };
  return createZip(
    [
      { name: 'manifest.json', content: [json(manifest)] },
      { name: 'server/index.js', content: [launcherOf(start)] },
    ],
    'application/zip',
  );
}
