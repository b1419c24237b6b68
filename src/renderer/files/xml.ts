import { t } from '../text/t.ts';
import { FileProblem } from './table.ts';

/** What a scan of XML calls. Names come without their prefix; attributes as they were written. */
export interface XmlListener {
  open(name: string, attributes: string): void;
  close(name: string): void;
  /** Decoded; one text may come in several pieces. */
  text(text: string): void;
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([a-z]+));/g,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES.get(name) ?? whole;
      const code = Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** An attribute's value, or undefined. */
export function attribute(attributes: string, name: string): string | undefined {
  const at = attributes.indexOf(` ${name}=`);
  const quote = attributes[at + name.length + 2];
  if (at >= 0 && (quote === '"' || quote === "'")) {
    const from = at + name.length + 3;
    const to = attributes.indexOf(quote, from);
    return to < 0 ? undefined : decodeEntities(attributes.slice(from, to));
  }
  // White space of other kinds is allowed, and nearly never written.
  const tidy = /[\t\r\n]|\s=/.test(attributes)
    ? attributes.replace(/\s+/g, ' ').replace(/ ?= ?(["'])/g, '=$1')
    : attributes;
  return tidy === attributes ? undefined : attribute(tidy, name);
}

const [DOUBLE, SINGLE, GREATER] = [34, 39, 62];

/**
 * Where a tag ends that starts at `from`: a ">" in an attribute's value does not count. -1: not in
 * this text.
 */
function tagEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === GREATER) return at;
    if (code === DOUBLE || code === SINGLE) {
      at = text.indexOf(text[at]!, at + 1);
      if (at < 0) return -1;
    }
  }
  return -1;
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Longest tag or comment, in characters. Without a limit, each new piece would make it be searched
 * from its beginning again.
 */
const LONGEST_TAG = 1_000_000;

/**
 * Reads well-formed XML piece by piece: elements and their text, as spreadsheet files have them.
 * Document types are refused with their entities.
 */
export function createXmlScanner(listener: XmlListener): { push(piece: string): void } {
  let rest = '';
  return {
    push: (piece) => {
      const text = rest + piece;
      let at = 0;
      for (;;) {
        const start = text.indexOf('<', at);
        if (start < 0) {
          // An entity may be cut at the end of the piece.
          const cut = text.lastIndexOf('&');
          const whole = cut >= at && !text.includes(';', cut) ? cut : text.length;
          if (whole > at) listener.text(decodeEntities(text.slice(at, whole)));
          rest = text.slice(whole);
          return;
        }
        if (start > at) listener.text(decodeEntities(text.slice(at, start)));
        at = start;
        const isBang = text[start + 1] === '!';
        if (isBang && text.length < start + 9) break;
        const special =
          isBang && text.startsWith('<!--', start)
            ? '-->'
            : isBang && text.startsWith('<![CDATA[', start)
              ? ']]>'
              : text[start + 1] === '?'
                ? '?>'
                : undefined;
        const end =
          special === undefined ? tagEnd(text, start + 1) : text.indexOf(special, start + 2);
        if (end < 0) break;
        if (special === ']]>') listener.text(text.slice(start + 9, end));
        else if (special === undefined && isBang)
          throw new FileProblem(t('A document type is not allowed.'));
        else if (special === undefined) tag(text.slice(start + 1, end), listener);
        at = end + (special?.length ?? 1);
      }
      rest = text.slice(at);
      if (rest.length > LONGEST_TAG)
        throw new FileProblem(t('The file is damaged: a tag in it does not end.'));
    },
  };
}

function tag(inner: string, listener: XmlListener): void {
  if (inner.charCodeAt(0) === 47) {
    listener.close(withoutPrefix(inner.slice(1).trimEnd()));
    return;
  }
  const isEmpty = inner.endsWith('/');
  const nameEnd = inner.search(/[\s/]/);
  const name = withoutPrefix(nameEnd < 0 ? inner : inner.slice(0, nameEnd));
  listener.open(name, nameEnd < 0 ? '' : inner.slice(nameEnd, isEmpty ? -1 : undefined));
  if (isEmpty) listener.close(name);
}
