import type { Plugin } from 'vite';

/** A template whose text is taken as it is written, so that an escape would be another text. */
const RAW_TEMPLATE = /\braw`[^`]*[^\u0000-\u007f]/;

/**
 * The same program with escapes for all that is not ASCII: in strings, templates and patterns they
 * mean the characters. Throws where they would not.
 */
export function asAscii(code: string): string {
  const raw = RAW_TEMPLATE.exec(code);
  if (raw !== null) throw new Error(`Not ASCII in a raw template: ${raw[0].slice(0, 80)}`);
  return code.replaceAll(/(\\*)([^\u0000-\u007f])/g, (found, slashes: string, unit: string) => {
    if (slashes.length % 2 === 1) throw new Error(`A backslash before ${found.slice(-1)}`);
    return `${slashes}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/**
 * Writes programs in ASCII. V8 keeps the text of a program as long as that runs, and one character
 * beyond Latin-1 makes it two bytes a character.
 */
export function plainAscii(): Plugin {
  return {
    name: 'evidence-studio:plain-ascii',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const part of Object.values(bundle))
        if (part.type === 'chunk') part.code = asAscii(part.code);
    },
  };
}
