import { text as textOf } from '../../shared/contract/common.ts';
import { dataFolder } from '../instance/data-folder.ts';
import { packageVersion } from '../package-version.ts';
import { type CliCommand, text, UsageError } from './command.ts';

const NAME = 'Agent over MCP';
const Name = textOf(100, 1);

export const mcp: CliCommand = {
  name: 'mcp',
  summary:
    'Serve the tools for agents over standard input and output: for hosts such as Claude Desktop, which start this command',
  arguments: [],
  options: { name: { type: 'string' }, write: { type: 'boolean' } },
  help: {
    name: `what the agent is called where a person lets it in (default: ${NAME})`,
    write: 'ask for a key that also records and freezes, not only one that suggests',
  },
  async run({ values, signal }) {
    const name = Name.safeParse(text(values.name) ?? NAME);
    if (!name.success)
      throw new UsageError(`--name cannot be used: ${name.error.issues[0]?.message}`);
    const { serveMcp } = await import('./mcp-stdio.ts');
    await serveMcp({
      folder: dataFolder(text(values.data)),
      name: name.data,
      scopes: values.write === true ? ['read', 'write'] : ['suggest'],
      version: packageVersion(),
      signal,
    });
    return 0;
  },
};
