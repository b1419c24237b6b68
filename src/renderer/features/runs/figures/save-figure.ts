import { INTERPRETATION_BOUNDARY } from '../../../../shared/domain/result.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { FIGURE_STYLE } from './figure-style.ts';
import { t, tOf } from '../../../text/t.ts';

const SVG = 'http://www.w3.org/2000/svg';
const FOOT = 58;
const HEAD = 34;
/** Pixels of the image for one of the drawing. */
const DETAIL = 2;
/** What browsers paint as one image without fail. */
const MAX_SIDE = 16_000;

export interface FigureText {
  title: string;
  sentence: string;
}
type NamedRun = Pick<RunRecord, 'run_uid' | 'content_hash'>;

function textNode(words: string, y: number, look: string): SVGElement {
  const node = document.createElementNS(SVG, 'text');
  node.setAttribute('x', '12');
  node.setAttribute('y', String(y));
  node.setAttribute('class', look);
  node.append(words);
  return node;
}

/** Classes become attributes: a file must look alike in every program that opens it. */
function dress(root: SVGElement): void {
  for (const element of root.querySelectorAll('[class]')) {
    for (const name of element.classList)
      for (const [attribute, value] of Object.entries(FIGURE_STYLE[name] ?? {}))
        if (!element.hasAttribute(attribute)) element.setAttribute(attribute, value);
    element.removeAttribute('class');
  }
}

interface FigureFile {
  text: string;
  width: number;
  height: number;
}

function emptyFile(width: number, height: number): SVGElement {
  const file = document.createElementNS(SVG, 'svg');
  for (const [name, value] of Object.entries({
    width: String(width),
    height: String(height),
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
  }))
    file.setAttribute(name, value);
  return file;
}

function whiteGround(): SVGElement {
  const ground = document.createElementNS(SVG, 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', '#ffffff');
  return ground;
}

const finished = (file: SVGElement, width: number, height: number): FigureFile => {
  dress(file);
  return { text: `${new XMLSerializer().serializeToString(file)}\n`, width, height };
};

/** A drawing alone on white, for a document that says beside it what it is. */
export function bareFigure(drawn: SVGSVGElement): FigureFile {
  const { width, height } = drawn.viewBox.baseVal;
  const file = emptyFile(width, height);
  file.append(whiteGround(), ...Array.from(drawn.childNodes, (child) => child.cloneNode(true)));
  return finished(file, width, height);
}

/**
 * A drawing of the page as a file of its own: on white, with its title above, and the run, its hash
 * and what a result does not say below.
 */
export function figureFile(
  drawn: SVGSVGElement,
  run: NamedRun,
  { title, sentence }: FigureText,
): FigureFile {
  const { width, height: inner } = drawn.viewBox.baseVal;
  const height = HEAD + inner + FOOT;
  const file = emptyFile(width, height);
  const name = document.createElementNS(SVG, 'title');
  name.append(title);
  const description = document.createElementNS(SVG, 'desc');
  description.append(
    `${sentence} ${t('Run {run}, {hash}.', { run: run.run_uid, hash: run.content_hash })} ${tOf(INTERPRETATION_BOUNDARY)}`,
  );
  const body = document.createElementNS(SVG, 'g');
  body.setAttribute('transform', `translate(0 ${HEAD})`);
  for (const child of drawn.childNodes) body.append(child.cloneNode(true));
  file.append(
    name,
    description,
    whiteGround(),
    textNode(title, 22, 'fig-title'),
    body,
    textNode(t('Run {run}', { run: run.run_uid }), HEAD + inner + 18, 'fig-muted'),
    textNode(run.content_hash, HEAD + inner + 32, 'fig-muted'),
    textNode(
      t('Evidence sufficiency under one profile; it does not establish truth.'),
      HEAD + inner + 46,
      'fig-muted',
    ),
  );
  return finished(file, width, height);
}

/** The same file as an image. */
export async function figureImage(file: FigureFile): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([file.text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const detail = Math.min(DETAIL, MAX_SIDE / file.height);
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(file.width * detail);
    canvas.height = Math.round(file.height * detail);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error('The image could not be made.'));
        else resolve(blob);
      }, 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
