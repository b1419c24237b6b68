import { z } from 'zod';
import { NOT_HASHED, type RunAuthors } from './run-authors.ts';
import type { RunRecord } from './run-record.ts';
import type { SignedStatement } from './sign-off.ts';

/**
 * A run as a bundle: a folder in a ZIP file (`.eln`, https://github.com/TheELNConsortium) whose
 * `ro-crate-metadata.json` lists each part with its hash, and what people and agents did. That file
 * is signed, so the signature covers all parts.
 */
export const ELN_TYPE = 'application/vnd.eln+zip';
export const CRATE_FILE = 'ro-crate-metadata.json';
export const CRATE_SIGNATURE = `${CRATE_FILE}.minisig`;
export const CRATE_KEY = `${CRATE_FILE}.pub`;
/** The parts of the bundle about the run; `RUN_PART` is what is verified and imported. */
export const RUN_FOLDER = 'run/';
export const RUN_PART = `${RUN_FOLDER}run.evidence-run.json`;
export const SIGNATURES_FOLDER = `${RUN_FOLDER}signatures/`;
/** What the names of time-stamps end with, and of the files that they are over. */
export const TOKEN_END = '.tst';
export const STAMPED_END = '.stamped.json';

export interface CratePart {
  name: string;
  /** Its media type. */
  type: string;
  title: string;
  /** Of its bytes. */
  size: number;
  sha256: string;
}

interface CrateInput {
  run: RunRecord;
  authors: RunAuthors | undefined;
  statements: readonly SignedStatement[];
  parts: readonly CratePart[];
  exported: { at: string; by: string; version: string };
}

const CONTEXT = 'https://w3id.org/ro/crate/1.1';
const SOFTWARE = { '@id': '#evidence-studio' };

type Entity = { '@id': string; '@type': string } & Record<string, unknown>;

const person = (id: string, name: string, more: object = {}): Entity => ({
  '@id': id,
  '@type': 'Person',
  name,
  ...more,
});

/** What each author recorded, as the server that froze the run says. */
function recordingActions(authors: RunAuthors | undefined): Entity[] {
  return (authors?.counts ?? []).flatMap(([author, outcomes], place) => {
    const id = `#author-${place + 1}`;
    const accepted = `#accepted-${place + 1}`;
    const { kind, name, key_id, accepted_by } = author;
    const known = key_id === undefined ? {} : { identifier: key_id };
    return [
      kind === 'agent'
        ? { '@id': id, '@type': 'SoftwareApplication', name, ...known }
        : person(id, name, known),
      ...(accepted_by === undefined ? [] : [person(accepted, accepted_by)]),
      {
        '@id': `#recording-${place + 1}`,
        '@type': 'CreateAction',
        name: `Recorded ${outcomes} outcomes${kind === 'import' ? ' by an import' : ''}`,
        description: NOT_HASHED,
        agent: { '@id': id },
        ...(accepted_by !== undefined && { participant: { '@id': accepted } }),
        result: { '@id': RUN_PART },
      },
    ];
  });
}

const signingActions = (statements: readonly SignedStatement[]): Entity[] =>
  statements.flatMap(({ meaning, signer, signed_at }, place) => [
    person(`#signer-${place + 1}`, signer.name, { identifier: signer.user_id }),
    {
      '@id': `#signing-${place + 1}`,
      '@type': 'Action',
      name: `Signed the run with the meaning ${meaning}`,
      agent: { '@id': `#signer-${place + 1}` },
      endTime: signed_at,
      object: { '@id': RUN_PART },
    },
  ]);

function actionsOf({ run, authors, statements, exported }: CrateInput): Entity[] {
  return [
    ...recordingActions(authors),
    person('#frozen-by', run.created_by),
    {
      '@id': '#freezing',
      '@type': 'CreateAction',
      name: 'Froze the run',
      agent: { '@id': '#frozen-by' },
      instrument: SOFTWARE,
      endTime: run.created_at,
      result: { '@id': RUN_PART },
    },
    ...signingActions(statements),
    person('#exported-by', exported.by),
    {
      '@id': '#export',
      '@type': 'CreateAction',
      name: 'Made this bundle',
      agent: { '@id': '#exported-by' },
      instrument: SOFTWARE,
      endTime: exported.at,
      result: { '@id': './' },
    },
  ];
}

/** The text of `ro-crate-metadata.json`: what the signature on a bundle is over. */
export function crateText(input: CrateInput): string {
  const { run, parts, exported } = input;
  const idOf = ({ name }: CratePart) => ({ '@id': name });
  const ofRun = parts.filter(({ name }) => name.startsWith(RUN_FOLDER));
  const others = parts.filter(({ name }) => !name.startsWith(RUN_FOLDER));
  const graph: Entity[] = [
    {
      '@id': CRATE_FILE,
      '@type': 'CreativeWork',
      about: { '@id': './' },
      conformsTo: { '@id': CONTEXT },
      dateCreated: exported.at,
      sdPublisher: SOFTWARE,
      version: '1.0',
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name: `Run of ${run.frozen.case.title}`,
      description: run.result.interpretation_boundary,
      datePublished: exported.at,
      license: 'No licence is stated.',
      hasPart: [{ '@id': RUN_FOLDER }, ...others.map(idOf)],
    },
    {
      '@id': RUN_FOLDER,
      '@type': 'Dataset',
      name: run.frozen.case.title,
      identifier: run.run_uid,
      description: `Profile ${run.profile_uid} ${run.profile_version}; content hash ${run.content_hash}`,
      dateCreated: run.created_at,
      author: { '@id': '#frozen-by' },
      hasPart: ofRun.map(idOf),
    },
    ...parts.map(({ name, type, title, size, sha256 }) => ({
      '@id': name,
      '@type': 'File',
      name: title,
      encodingFormat: type,
      contentSize: String(size),
      sha256,
    })),
    {
      ...SOFTWARE,
      '@type': 'SoftwareApplication',
      name: 'Evidence Studio',
      version: exported.version,
    },
    ...actionsOf(input),
  ];
  return `${JSON.stringify({ '@context': `${CONTEXT}/context`, '@graph': graph }, null, 2)}\n`;
}

const Crate = z.looseObject({
  '@graph': z.array(z.looseObject({ '@id': z.string(), '@type': z.unknown() })).max(10_000),
});
const ListedFile = z.looseObject({
  '@id': z.string(),
  '@type': z.literal('File'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The hash of each part by its name; undefined where the text is no metadata of a crate. */
export function crateParts(text: string): Map<string, string> | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  const graph = Crate.safeParse(read).data?.['@graph'];
  if (graph?.some((entity) => entity['@id'] === CRATE_FILE) !== true) return undefined;
  return new Map(
    graph.flatMap((entity) => {
      const { data } = ListedFile.safeParse(entity);
      return data === undefined ? [] : [[data['@id'].replace(/^\.\//, ''), data.sha256] as const];
    }),
  );
}
