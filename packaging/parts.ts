import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { EPOCH, MANIFEST, PARTS, ROOT, run } from './project.ts';
import type { ElectronRuntime } from './runtime.ts';

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      cpu: z.array(z.string()).optional(),
    }),
  ),
});
/** The members of a CycloneDX document that are changed here; the others pass through. */
const Component = z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() });
const Bom = z.looseObject({
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
  dependencies: z.array(
    z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() }),
  ),
});

interface Part {
  /** Below the repository, as in the lock file. */
  place: string;
  name: string;
  version: string;
  license: string;
}

/** Every package that the builds may hold: what the lock installs, less what is for developers. */
export function shippedParts(): Part[] {
  const { packages } = Lock.parse(
    JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')),
  );
  return Object.entries(packages)
    .filter(
      ([place, { dev, devOptional, cpu }]) =>
        place !== '' &&
        // Programs of one kind of machine are never part of a bundle.
        cpu === undefined &&
        dev !== true &&
        devOptional !== true &&
        existsSync(path.join(ROOT, place, 'package.json')),
    )
    .map(([place, { version = '', license = 'see its text' }]) => ({
      place,
      name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license,
    }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** Refuses a build with a package that the list of parts lacks. */
export function checkParts(parts: readonly Part[], builtFrom: string): void {
  const files = z.record(z.string(), z.number()).parse(JSON.parse(readFileSync(builtFrom, 'utf8')));
  const listed = new Set(parts.map(({ place }) => `${place}/package.json`));
  const missing = Object.keys(files).filter(
    (file) => file.startsWith('node_modules/') && !listed.has(file),
  );
  if (missing.length > 0)
    throw new Error(`In the build, but not in its SBOM: ${missing.join(', ')}`);
}

/** What is not a package of the lock: the runtime of the desktop, and of the executable. */
function runtimes(electron: ElectronRuntime | undefined): z.infer<typeof Component>[] {
  const of = (name: string, version: string, extra: Record<string, unknown>) => ({
    'bom-ref': `${name}@${version}`,
    type: 'framework',
    name,
    version,
    licenses: [{ license: { id: 'MIT' } }],
    ...extra,
  });
  return [
    of('node', MANIFEST.devDependencies.node, {
      description: 'Runtime of the single executable and of the container',
      purl: `pkg:generic/node@${MANIFEST.devDependencies.node}`,
    }),
    ...(electron === undefined
      ? []
      : [
          of('electron', electron.version, {
            description: 'Runtime of the desktop, with Chromium, Node.js and FFmpeg',
            purl: `pkg:npm/electron@${electron.version}`,
            properties: [
              { name: 'evidence-studio:check-only', value: String(electron.isCheckOnly) },
            ],
          }),
        ]),
  ];
}

/**
 * The SBOM by npm, of the parts alone: with `--omit dev` npm also leaves out what packages for
 * developers share with the others. Serial number and time follow from the content.
 */
function sbom(parts: readonly Part[], electron: ElectronRuntime | undefined): string {
  const bom = Bom.parse(JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx'])));
  const shipped = new Set(parts.map(({ name, version }) => `${name}@${version}`));
  const own = bom.metadata.component['bom-ref'];
  const components = [
    ...bom.components.filter(({ name, version }) => shipped.has(`${name}@${version}`)),
    ...runtimes(electron),
  ];
  const refs = new Set([own, ...components.map((component) => component['bom-ref'])]);
  const { timestamp: _, ...metadata } = bom.metadata;
  const whole = {
    ...bom,
    metadata: {
      ...metadata,
      timestamp: new Date(EPOCH * 1_000).toISOString(),
      component: { ...bom.metadata.component, name: MANIFEST.name, type: 'application' },
    },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((entry) => ({ ...entry, dependsOn: entry.dependsOn?.filter((ref) => refs.has(ref)) })),
  };
  const hash = createHash('sha256')
    .update(JSON.stringify({ ...whole, serialNumber: '' }))
    .digest('hex');
  const serial = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return `${JSON.stringify({ ...whole, serialNumber: `urn:uuid:${serial}` }, null, 1)}\n`;
}

const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

function licenceText({ place }: Part): string {
  const files = readdirSync(path.join(ROOT, place))
    .filter((name) => LICENCE.test(name))
    .toSorted();
  return files
    .map((name) => readFileSync(path.join(ROOT, place, name), 'utf8').trim())
    .join('\n\n');
}

/** Node's own licence: beside the package's program, or as a system has it. */
const NODE_LICENCES = [
  `node_modules/node/node_modules/node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}/LICENSE`,
  path.resolve(path.dirname(process.execPath), '../LICENSE'),
].map((file) => path.resolve(ROOT, file));

/** The licence of the studio and the text that each part asks to be passed on; equal texts once. */
function licences(parts: readonly Part[]): string {
  const byText = new Map<string, Part[]>();
  for (const part of parts) {
    const text = licenceText(part) || `(${part.license}; the package brings no text of it)`;
    byText.set(text, [...(byText.get(text) ?? []), part]);
  }
  const rule = '-'.repeat(80);
  return [
    `Evidence Studio ${MANIFEST.version}`,
    '',
    readFileSync(path.join(ROOT, 'LICENSE'), 'utf8').trim(),
    '',
    'Evidence Studio is made with the parts below. The desktop runs on Electron: its licence is in',
    'LICENSE.electron.txt, those of Chromium and its parts in LICENSES.chromium.html. The single',
    'executable and the container run on Node.js, whose licence is in LICENSE.node.txt.',
    '',
    ...[...byText].flatMap(([text, of]) => [
      rule,
      ...of.map(({ name, version, license }) => `${name} ${version} (${license})`),
      '',
      text,
      '',
    ]),
  ].join('\n');
}

/** Writes `dist/parts`: the SBOM and the licences of everything that is shipped. */
export function writeParts(electron: ElectronRuntime | undefined): Part[] {
  const parts = shippedParts();
  rmSync(PARTS, { recursive: true, force: true });
  mkdirSync(PARTS, { recursive: true });
  writeFileSync(path.join(PARTS, 'sbom.cdx.json'), sbom(parts, electron));
  writeFileSync(path.join(PARTS, 'LICENCES.txt'), licences(parts));
  const ofNode = NODE_LICENCES.find((file) => existsSync(file));
  if (ofNode !== undefined) copyFileSync(ofNode, path.join(PARTS, 'LICENSE.node.txt'));
  return parts;
}
