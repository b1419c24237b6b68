import {
  AlignmentType,
  BorderStyle,
  Document,
  Footer,
  Header,
  HeadingLevel,
  ImageRun,
  Packer,
  PageNumber,
  Paragraph,
  type ParagraphChild,
  ShadingType,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
} from 'docx';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { bareFigure, figureImage } from '../figures/save-figure.ts';
import { pageWords, type Paper } from './report-plan.ts';
import { locale } from '../../../text/t.ts';

/** Twentieths of a point. */
const twips = (millimetres: number): number => Math.round((millimetres / 25.4) * 1_440);
const PAPER_SIZE: Record<Paper, { width: number; height: number }> = {
  a4: { width: twips(210), height: twips(297) },
  letter: { width: twips(215.9), height: twips(279.4) },
};
const MARGIN = { top: twips(18), bottom: twips(20), left: twips(15), right: twips(15) };
/** Of the narrower paper. */
const TEXT_WIDTH = PAPER_SIZE.a4.width - MARGIN.left - MARGIN.right;
/** Pixels of 96 to the inch that a drawing, and a logo, may be wide or high. */
const FIGURE_WIDTH = 560;
const LOGO_HEIGHT = 54;
const FEW_COLUMNS = 8;
const LEAST_WIDTH = 56;
/** Half points. */
const SIZE = { text: 18, small: 15, headline: 25 };
const INK = '111111';
const LINE = { style: BorderStyle.SINGLE, size: 4, color: 'C8CED0' } as const;
const NONE = { style: BorderStyle.NONE, size: 0, color: 'auto' } as const;
const SMALL =
  '.report-meta, .report-label, .report-meaning, .report-small, .paper-key, dt, table, pre';
/** Elements that begin a line of their own within a cell. */
const OWN_LINE = '.report-label, .report-meaning';

type Images = ReadonlyMap<Element, ImageRun>;

interface Picture {
  type: 'png' | 'jpg';
  data: ArrayBuffer | Uint8Array;
  width: number;
  height: number;
  words: string;
}

const imageRun = ({ type, data, width, height, words }: Picture): ImageRun =>
  new ImageRun({
    type,
    data,
    transformation: { width: Math.round(width), height: Math.round(height) },
    altText: { name: words, title: words, description: words },
  });

async function drawingOf(drawn: SVGSVGElement): Promise<ImageRun> {
  const file = bareFigure(drawn);
  return imageRun({
    type: 'png',
    data: await (await figureImage(file)).arrayBuffer(),
    width: FIGURE_WIDTH,
    height: (file.height * FIGURE_WIDTH) / file.width,
    words: drawn.getAttribute('aria-label') ?? '',
  });
}

/** A logo is kept as text, whose address nothing else may load. */
function logoOf(image: HTMLImageElement): ImageRun {
  const [, type = 'png', base64 = ''] =
    /^data:image\/(png|jpeg);base64,(.*)$/.exec(image.src) ?? [];
  const scale = LOGO_HEIGHT / Math.max(1, image.naturalHeight);
  return imageRun({
    type: type === 'jpeg' ? 'jpg' : 'png',
    data: Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)),
    width: image.naturalWidth * scale,
    height: LOGO_HEIGHT,
    words: image.alt,
  });
}

async function imagesOf(article: HTMLElement): Promise<Images> {
  const images = new Map<Element, ImageRun>();
  for (const drawn of article.querySelectorAll<SVGSVGElement>('svg.report-figure'))
    images.set(drawn, await drawingOf(drawn));
  for (const image of article.querySelectorAll<HTMLImageElement>('img.report-logo'))
    images.set(image, logoOf(image));
  return images;
}

/**
 * The text of an element as runs: what is bold, fixed in width or on a line of its own stays so.
 */
function runsOf(element: Element, look: { bold?: boolean; size?: number } = {}): TextRun[] {
  const size =
    look.size ??
    (element.matches(SMALL) || element.closest(SMALL) !== null ? SIZE.small : SIZE.text);
  return Array.from(element.childNodes).flatMap((node): TextRun[] => {
    if (node instanceof Text) {
      const text = node.data.replaceAll(/\s+/g, ' ');
      const isMono = element.closest('code, .report-hash') !== null;
      return text === ''
        ? []
        : [
            new TextRun({
              text,
              size,
              bold: look.bold ?? false,
              ...(isMono && { font: 'Courier New' }),
            }),
          ];
    }
    if (!(node instanceof Element) || node.matches('.visually-hidden')) return [];
    const bold = (look.bold ?? false) || node.matches('b, strong, dt');
    const inner = runsOf(node, { ...look, bold });
    // What is drawn on the page is said by letters here.
    if (node.matches('.outcome-mark:empty')) return [new TextRun({ text: '–', size })];
    if (node.matches('.paper-key > span')) return [...inner, new TextRun({ text: '    ', size })];
    return node.matches(OWN_LINE) ? [new TextRun({ break: 1 }), ...inner] : inner;
  });
}

const paragraph = (
  children: readonly ParagraphChild[],
  options: ConstructorParameters<typeof Paragraph>[0] & object = {},
): Paragraph => new Paragraph({ spacing: { after: 80 }, ...options, children });

/** The widths that the page gives the columns, as shares of the paper's. */
function widthsOf(row: HTMLTableRowElement | undefined, whole: number): number[] {
  const widths = Array.from(row?.cells ?? [], (cell) => cell.getBoundingClientRect().width);
  // Columns of words must not break them; those of a matrix hold letters.
  const least = widths.length > FEW_COLUMNS ? 0 : LEAST_WIDTH;
  const sum = widths.reduce((total, width) => total + Math.max(least, width), 0);
  return sum === 0 ? [] : widths.map((width) => Math.round((whole * Math.max(least, width)) / sum));
}

const alignmentOf = (cell: Element): (typeof AlignmentType)[keyof typeof AlignmentType] =>
  cell.matches('.paper-matrix :is(td:not(.paper-text), .n)')
    ? AlignmentType.CENTER
    : cell.matches('.n')
      ? AlignmentType.RIGHT
      : AlignmentType.LEFT;

function tableOf(table: HTMLTableElement): Table {
  const rows = [...table.rows];
  return new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    layout: TableLayoutType.FIXED,
    columnWidths: widthsOf(rows[0], TEXT_WIDTH),
    borders: {
      top: LINE,
      bottom: LINE,
      left: NONE,
      right: NONE,
      insideVertical: NONE,
      insideHorizontal: LINE,
    },
    rows: rows.map(
      (row) =>
        new TableRow({
          tableHeader: row.parentElement?.tagName === 'THEAD',
          cantSplit: true,
          children: Array.from(row.cells, (cell) => {
            const isHead = row.parentElement?.tagName === 'THEAD';
            return new TableCell({
              margins: { top: 15, bottom: 15, left: 50, right: 50 },
              ...(isHead && {
                shading: { type: ShadingType.CLEAR, fill: 'EDF0F0', color: 'auto' },
              }),
              children: [
                new Paragraph({
                  alignment: alignmentOf(cell),
                  children: runsOf(cell, { bold: isHead }),
                }),
              ],
            });
          }),
        }),
    ),
  });
}

/** Names and their values, a line each. */
const factsOf = (list: Element): Paragraph[] =>
  Array.from(list.children, (fact) => {
    const [name, value] = [fact.querySelector('dt'), fact.querySelector('dd')];
    return paragraph(
      [
        ...(name === null ? [] : runsOf(name, { bold: true, size: SIZE.text })),
        new TextRun({ text: '  ', size: SIZE.text }),
        ...(value === null || value.textContent.trim() === ''
          ? [new TextRun({ text: '____________________________', size: SIZE.text })]
          : runsOf(value, { size: SIZE.text })),
      ],
      { spacing: { after: 30 } },
    );
  });

/** An element of the shown report as blocks of a document, in their order. */
function blocksOf(element: Element, images: Images): (Paragraph | Table)[] {
  const image = images.get(element);
  if (image !== undefined) return [paragraph([image])];
  if (element instanceof HTMLTableElement) return [tableOf(element), paragraph([])];
  switch (element.tagName) {
    case 'H1':
      return [
        paragraph(runsOf(element, { bold: true, size: 40 }), { heading: HeadingLevel.TITLE }),
      ];
    case 'H2':
      return [
        paragraph(runsOf(element, { bold: true, size: 23 }), {
          heading: HeadingLevel.HEADING_2,
          spacing: { before: 140, after: 60 },
          keepNext: true,
        }),
      ];
    case 'P':
      return [
        paragraph(
          runsOf(element, element.matches('.report-headline') ? { size: SIZE.headline } : {}),
        ),
      ];
    case 'UL':
    case 'OL':
      return Array.from(element.children, (item) =>
        paragraph(runsOf(item), { bullet: { level: 0 }, spacing: { after: 30 } }),
      );
    case 'DL':
      return factsOf(element);
    case 'PRE':
      return element.textContent.split('\n').map(
        (line) =>
          new Paragraph({
            children: [new TextRun({ text: line, size: 13, font: 'Courier New' })],
          }),
      );
    default: {
      const blocks = Array.from(element.children).flatMap((child) => blocksOf(child, images));
      return element.matches('.report-annexes')
        ? [paragraph([], { pageBreakBefore: true }), ...blocks]
        : blocks;
    }
  }
}

const quiet = (children: (string | (typeof PageNumber)[keyof typeof PageNumber])[]): TextRun =>
  new TextRun({ children, size: SIZE.small, color: '444444' });

/**
 * The shown report as a document of a word processor: the same words, tables and drawings, its
 * first pages by themselves, the run with its hash on each page.
 */
export async function reportDocx(
  article: HTMLElement,
  { run_uid, content_hash }: Pick<RunRecord, 'run_uid' | 'content_hash'>,
  { title, paper }: { title: string; paper: Paper },
): Promise<Blob> {
  const images = await imagesOf(article);
  return Packer.toBlob(
    new Document({
      title,
      creator: 'Evidence Studio',
      description: `${run_uid} ${content_hash}`,
      styles: {
        default: {
          title: { run: { color: INK } },
          heading2: { run: { color: INK } },
          document: {
            run: { font: 'Arial', size: SIZE.text, color: INK, language: { value: locale() } },
          },
        },
      },
      sections: [
        {
          properties: { page: { size: PAPER_SIZE[paper], margin: MARGIN } },
          headers: {
            default: new Header({
              children: [new Paragraph({ children: [quiet([pageWords()])] })],
            }),
          },
          footers: {
            default: new Footer({
              children: [
                new Paragraph({ children: [quiet([`${run_uid}  ${content_hash}`])] }),
                new Paragraph({
                  alignment: AlignmentType.RIGHT,
                  children: [quiet([PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES])],
                }),
              ],
            }),
          },
          children: blocksOf(article, images),
        },
      ],
    }),
  );
}
