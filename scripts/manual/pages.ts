import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface ManualPage {
  /** Its Markdown, from the root of the repository. */
  source: string;
  /** Its file below `/manual/`. */
  file: string;
  title: string;
  group: string;
}

/** What the contents list, in order; decisions follow by themselves. */
const GROUPS: readonly [group: string, sources: readonly string[]][] = [
  ['Record', ['README.md', 'docs/editor.md', 'docs/sync.md', 'docs/team.md']],
  ['Programs and agents', ['docs/agents.md', 'docs/api.md']],
  [
    'Operate',
    [
      'docs/hosting.md',
      'docs/scaling.md',
      'docs/environment.md',
      'docs/compliance.md',
      'docs/releasing.md',
    ],
  ],
  [
    'Develop',
    [
      'CONTRIBUTING.md',
      'docs/architecture.md',
      'src/sync/SPEC.md',
      'docs/testing.md',
      'docs/benchmarks.md',
      'CHANGELOG.md',
      'docs/decisions/README.md',
    ],
  ],
];

const nameOf = (source: string): string =>
  source === 'README.md'
    ? 'index.html'
    : source === 'docs/decisions/README.md'
      ? 'decisions/index.html'
      : source
          .replace(/^docs\//, '')
          .replace('src/sync/SPEC.md', 'log.md')
          .toLowerCase()
          .replace(/\.md$/, '.html');

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? '';

/** Every page of the manual, with the Markdown that it is made of. */
export function manualPages(root: string): (ManualPage & { markdown: string })[] {
  const read = (source: string, group: string) => {
    const markdown = readFileSync(path.join(root, source), 'utf8');
    return { source, group, markdown, file: nameOf(source), title: titleOf(markdown) };
  };
  const decisions = readdirSync(path.join(root, 'docs/decisions'))
    .filter((name) => /^\d{4}-/.test(name))
    .toSorted();
  return [
    ...GROUPS.flatMap(([group, sources]) => sources.map((source) => read(source, group))),
    ...decisions.map((name) => read(`docs/decisions/${name}`, '')),
  ];
}

/**
 * Where a link of a page leads in the manual; undefined for a part of the repository that the
 * manual does not have, and an error for one that is nowhere.
 */
export function linkFrom(
  source: string,
  href: string,
  pages: readonly ManualPage[],
  root: string,
): string | undefined {
  if (/^[a-z]+:/i.test(href)) return href;
  const [target = '', hash] = href.split('#');
  const anchor = hash === undefined ? '' : `#${hash}`;
  if (target === '') return anchor;
  const wanted = path.posix.join(path.posix.dirname(source), target);
  const page = pages.find((one) => one.source === wanted);
  if (page !== undefined) return `/manual/${page.file}${anchor}`;
  if (wanted.startsWith('docs/images/')) return `/manual/${wanted.slice('docs/'.length)}`;
  if (!existsSync(path.join(root, wanted))) throw new Error(`${source}: ${href} leads nowhere`);
  return undefined;
}

/** The name of a heading in an address, as code hosts make it. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
