import type { UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import { type CliCommand, CommandError, text } from './command.ts';
import { upstreamWords, readKey, withUpstream } from './upstream.ts';
import type { ProjectId } from '../../shared/contract/ids.ts';

const LATER =
  '\nNo server runs here: the exchange begins with the next start, such as evidence-studio serve.';
const outcomeOf = (status: UplinkStatus, running: boolean): string =>
  upstreamWords(status) + (running || status.connection === null ? '' : LATER);

export const connect: CliCommand = {
  name: 'connect',
  summary:
    'Connect this studio to a hosted server; its key is asked for, or read from standard input',
  arguments: ['URL'],
  options: {},
  help: {},
  async run({ values, positionals, print, signal }) {
    const url = positionals[0] ?? '';
    const key = await readKey(signal);
    await withUpstream(text(values.data), async (upstream) => {
      const status = await upstream.connect({ url, key });
      print(outcomeOf(status, upstream.running), status);
    });
    return 0;
  },
};

export const disconnect: CliCommand = {
  name: 'disconnect',
  summary:
    'End the connection to the hosted server and forget its key; nothing is deleted on either side',
  arguments: [],
  options: {},
  help: {},
  async run({ values, print }) {
    await withUpstream(text(values.data), async (upstream) => {
      const status = await upstream.disconnect();
      print(upstreamWords(status), status);
    });
    return 0;
  },
};

/** A project by its identifier, or by its name where only one has it. */
function findProject({ projects }: UplinkStatus, asked: string): ProjectId {
  const found = projects.filter(({ project_id, name }) => project_id === asked || name === asked);
  const [first] = found;
  if (first === undefined)
    throw new CommandError(
      `There is no project ${asked}. There is: ${projects.map(({ project_id, name }) => `${name} (${project_id})`).join(', ')}.`,
    );
  if (found.length > 1)
    throw new CommandError(
      `Several projects are called ${asked}: ${found.map(({ project_id }) => project_id).join(', ')}. Name one by its identifier.`,
    );
  return first.project_id;
}

export const share: CliCommand = {
  name: 'share',
  summary: 'Sync a project, named by its name or identifier, with the hosted server',
  arguments: ['PROJECT'],
  options: { stop: { type: 'boolean' } },
  help: { stop: 'no longer exchange it; nothing is deleted on either side' },
  async run({ values, positionals, print }) {
    await withUpstream(text(values.data), async (upstream) => {
      const status = await upstream.share(
        findProject(await upstream.status(), positionals[0] ?? ''),
        values.stop !== true,
      );
      print(outcomeOf(status, upstream.running), status);
    });
    return 0;
  },
};
