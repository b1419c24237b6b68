import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { known } from '../../shared/contract/ids.ts';
import { openData } from '../open-data.ts';
import { type ChainProblem, verifyChains } from '../audit/verify-audit.ts';
import { type CliCommand, text, UsageError } from './command.ts';

const Earlier = z.object({
  chains: z.array(
    z.strictObject({
      account_id: z.union([known.accountId, z.literal('')]),
      log: z.string().nullable(),
      seq: z.int().min(0),
      hash: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

const WORDS: Record<ChainProblem['code'], string> = {
  missing: 'is missing',
  altered: 'is not what was hashed',
  broken: 'does not follow from the one before it',
  end: 'is not the end that the store states',
  rewritten: 'is another than at the earlier check',
  shortened: 'is the last: at the earlier check there was more',
};

async function readEarlier(file: string): Promise<z.infer<typeof Earlier>['chains']> {
  try {
    return Earlier.parse(JSON.parse(await readFile(file, 'utf8'))).chains;
  } catch {
    throw new UsageError(
      `The file ${file} is not what evidence-studio verify-audit --json printed.`,
    );
  }
}

export const verifyAudit: CliCommand = {
  name: 'verify-audit',
  summary:
    'Check the audit trail and the log of every case, hash by hash, also while the server runs',
  arguments: [],
  options: { earlier: { type: 'string' } },
  help: {
    earlier:
      'a file with what this command printed before with --json: everything that was there must still be',
  },
  async run({ values, print }) {
    const file = text(values.earlier);
    const earlier = file === undefined ? undefined : await readEarlier(file);
    await using data = await openData(text(values.data));
    const report = await verifyChains(data.store, data.hasher, earlier);
    const place = ({ account_id, log }: ChainProblem): string =>
      `${log === null ? 'audit trail' : `log ${log}`} of ${account_id === '' ? 'the server' : account_id}`;
    const words = [
      `${report.events} audit events and ${report.changes} changes in ` +
        `${report.chains.length} chains: ` +
        `${report.ok ? 'all whole' : `${report.problems.length} NOT WHOLE`}`,
      ...report.problems.map(
        (problem) => `  ${place(problem)}: number ${problem.seq} ${WORDS[problem.code]}`,
      ),
      ...(report.ok && earlier === undefined
        ? [
            'Keep the output of --json on another machine and give it to --earlier next time: ' +
              'it then also finds a trail whose end was cut off or that was made again.',
          ]
        : []),
    ];
    print(words.join('\n'), report);
    return report.ok ? 0 : 1;
  },
};
