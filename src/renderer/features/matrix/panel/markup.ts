import { addressOf, referencesIn } from '../model/reference.ts';

/**
 * Notes as read: a few signs of Markdown and nothing else. What is not understood stays as it was
 * written; there is no HTML.
 */
export type Inline =
  | { kind: 'text' | 'strong' | 'em' | 'code'; text: string }
  | { kind: 'link'; text: string; address: string };
export type MarkupBlock =
  | { kind: 'paragraph'; lines: Inline[][] }
  | { kind: 'list'; ordered: boolean; start: number; items: Inline[][] }
  | { kind: 'code'; text: string };

const BULLET = /^\s{0,3}[-*]\s+(?=\S)/;
const NUMBER = /^\s{0,3}(\d{1,3})[.)]\s+(?=\S)/;
const FENCE = /^\s{0,3}```/;
/**
 * `code`, [text](address), **strong**, *em* or _em_; the signs stand against the words, so that "2
 * * 3 * 4" and "snake_case_name" stay as they are.
 */
const SPAN = new RegExp(
  [
    /`([^`\n]+)`/u,
    /\[([^\]\n]{1,500})\]\(([^()\s]{1,2000}(?:\([^()\s]*\)[^()\s]*)*)\)/u,
    /\*\*(?=\S)([^*\n]*[^*\s])\*\*/u,
    /(?<![\p{L}\p{N}*])\*(?=[^\s*])([^*\n]*[^*\s])\*(?![\p{L}\p{N}*])/u,
    /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^_\s])_(?![\p{L}\p{N}_])/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

function plain(text: string): Inline[] {
  const parts: Inline[] = [];
  let at = 0;
  const upTo = (end: number): void => {
    if (end > at) parts.push({ kind: 'text', text: text.slice(at, end) });
  };
  for (const { start, text: words, address } of referencesIn(text)) {
    upTo(start);
    parts.push({ kind: 'link', text: words, address });
    at = start + words.length;
  }
  upTo(text.length);
  return parts;
}

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  const references = referencesIn(text);
  let at = 0;
  for (const match of text.matchAll(SPAN)) {
    const [whole, code, words, target, strong, star, underscore] = match;
    // An underscore or star inside an address is part of it.
    if (
      match.index < at ||
      references.some(
        (reference) =>
          match.index > reference.start && match.index < reference.start + reference.text.length,
      )
    )
      continue;
    const address = target === undefined ? undefined : addressOf(target);
    if (words !== undefined && address === undefined) continue;
    parts.push(...plain(text.slice(at, match.index)));
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (words !== undefined && address !== undefined)
      parts.push({ kind: 'link', text: words, address });
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong });
    else parts.push({ kind: 'em', text: star ?? underscore ?? '' });
    at = match.index + whole.length;
  }
  parts.push(...plain(text.slice(at)));
  return parts;
}

export function parseNotes(text: string): MarkupBlock[] {
  const blocks: MarkupBlock[] = [];
  const lines = text.split(/\r\n|\r|\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const last = blocks.at(-1);
    const isAfterText = at > 0 && lines[at - 1]?.trim() !== '';
    const number = NUMBER.exec(line);
    if (FENCE.test(line)) {
      const end = lines.findIndex((other, index) => index > at && FENCE.test(other));
      const until = end < 0 ? lines.length : end;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, until).join('\n') });
      at = until;
    } else if (BULLET.test(line) || number !== null) {
      const item = parseInline(line.replace(number === null ? BULLET : NUMBER, ''));
      if (last?.kind === 'list' && last.ordered === (number !== null) && isAfterText)
        last.items.push(item);
      else
        blocks.push({
          kind: 'list',
          ordered: number !== null,
          start: Number(number?.[1] ?? 1),
          items: [item],
        });
    } else if (line.trim() !== '') {
      if (last?.kind === 'paragraph' && isAfterText) last.lines.push(parseInline(line));
      else blocks.push({ kind: 'paragraph', lines: [parseInline(line)] });
    }
  }
  return blocks;
}

/** True where the text reads otherwise than it is written. */
export const hasMarkup = (blocks: readonly MarkupBlock[]): boolean =>
  blocks.some(
    (block) =>
      block.kind !== 'paragraph' ||
      block.lines.some((line) => line.some((part) => part.kind !== 'text')),
  );
