/**
 * `node scripts/environment-page.ts` writes docs/environment.md from the schema that reads the
 * environment. A test compares the two.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Environment } from '../src/server/config/environment.ts';

export const ENVIRONMENT_PAGE = fileURLToPath(new URL('../docs/environment.md', import.meta.url));

const PARTS: Readonly<Record<string, string>> = {
  Where: 'Where it listens and where the data is',
  Blobs: 'Blobs outside of the database',
  Hosted: 'A hosted server',
  Limits: 'Limits and quotas',
  Operation: 'Operation',
};
const OPENING = `# Settings

Everything that can be set from outside is an environment variable below; there is no settings file.
They are read once, at the start: one that cannot be used, or whose name begins with
\`EVIDENCE_STUDIO_\` and is not here, is named in one sentence and nothing starts.
\`evidence-studio serve\` takes \`--data\`, \`--host\`, \`--port\` and \`--database-url\` for the first
four. This page is made from the schema in [environment.ts](../src/server/config/environment.ts) by
\`node scripts/environment-page.ts\`.
`;

const Setting = z.object({
  description: z.string(),
  part: z.string(),
  default: z.string().optional(),
  enum: z.array(z.string()).optional(),
});
type Setting = z.infer<typeof Setting>;

function defaultOf(setting: Setting): string {
  return setting.default === undefined || setting.default === ''
    ? 'not set'
    : `\`${setting.default}\``;
}

function row([name, setting]: [string, Setting]): string {
  const values =
    setting.enum === undefined
      ? ''
      : ` One of ${setting.enum.map((value) => `\`${value}\``).join(', ')}.`;
  return `| \`${name}\` | ${defaultOf(setting)} | ${setting.description}${values} |`;
}

export function environmentPage(): string {
  const settings = Object.entries(
    z.record(z.string(), Setting).parse(z.toJSONSchema(Environment, { io: 'input' }).properties),
  );
  const parts = Object.entries(PARTS).map(([part, title]) => {
    const rows = settings.filter(([, setting]) => setting.part === part).map(row);
    return rows.length === 0
      ? ''
      : `\n## ${title}\n| variable | default | what it is |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return OPENING + parts.join('');
}

if (path.resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url))
  writeFileSync(ENVIRONMENT_PAGE, environmentPage());
