/** Icons for every system, drawn from the one SVG of the studio. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DIST, ROOT } from './project.ts';

export const ICONS = path.join(DIST, 'icons');
export const SOURCE = path.join(ROOT, 'src/renderer/app/icons/icon.svg');
const SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024] as const;
/** Types of the pictures in an .icns file, by their size in pixels. */
const ICNS: readonly (readonly [type: string, size: number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
];
const ICO = [16, 24, 32, 48, 64, 128, 256];

/** Pictures as PNG behind a directory of sixteen bytes each. */
function ico(pictures: ReadonlyMap<number, Uint8Array>): Buffer {
  const head = Buffer.alloc(6 + 16 * ICO.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(ICO.length, 4);
  let at = head.length;
  const bytes = ICO.map((size, index) => {
    const picture = pictures.get(size) ?? new Uint8Array();
    const entry = 6 + 16 * index;
    // 256 is written as 0.
    head.writeUInt8(size % 256, entry);
    head.writeUInt8(size % 256, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(picture.length, entry + 8);
    head.writeUInt32LE(at, entry + 12);
    at += picture.length;
    return picture;
  });
  return Buffer.concat([head, ...bytes]);
}

function icns(pictures: ReadonlyMap<number, Uint8Array>): Buffer {
  const entries = ICNS.map(([type, size]) => {
    const picture = pictures.get(size) ?? new Uint8Array();
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32BE(picture.length + 8, 4);
    return Buffer.concat([head, picture]);
  });
  const head = Buffer.alloc(8);
  head.write('icns', 'latin1');
  head.writeUInt32BE(8 + entries.reduce((sum, entry) => sum + entry.length, 0), 4);
  return Buffer.concat([head, ...entries]);
}

/** The part of resvg that is used; the package is there only once packaging has begun. */
interface Drawing {
  initWasm(program: Uint8Array): Promise<void>;
  Resvg: new (
    svg: string,
    options: { fitTo: { mode: 'width'; value: number } },
  ) => { render(): { asPng(): Uint8Array } };
}

export async function drawIcons(): Promise<void> {
  const folder = path.join(import.meta.dirname, 'node_modules/@resvg/resvg-wasm');
  const { initWasm, Resvg } = (await import(
    pathToFileURL(path.join(folder, 'index.mjs')).href
  )) as Drawing;
  await initWasm(readFileSync(path.join(folder, 'index_bg.wasm')));
  const svg = readFileSync(SOURCE, 'utf8');
  const pictures = new Map<number, Uint8Array>(
    SIZES.map((size) => [
      size,
      new Resvg(svg, { fitTo: { mode: 'width', value: size } }).render().asPng(),
    ]),
  );
  const sizes = path.join(ICONS, 'sizes');
  rmSync(ICONS, { recursive: true, force: true });
  mkdirSync(sizes, { recursive: true });
  for (const [size, picture] of pictures)
    writeFileSync(path.join(sizes, `${size}x${size}.png`), picture);
  writeFileSync(path.join(ICONS, 'icon.ico'), ico(pictures));
  writeFileSync(path.join(ICONS, 'icon.icns'), icns(pictures));
}
