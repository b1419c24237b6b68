/** What makes a spreadsheet read a field of plain text as a formula. */
const FORMULA = /^'*[=+\-@\t\r]/;
const PROTECTED = /^'+[=+\-@\t\r]/;

/**
 * Text that a spreadsheet would run as a formula, or that looks like such a text already protected.
 */
export const looksLikeFormula = (text: string): boolean => FORMULA.test(text);

/**
 * Text that no spreadsheet runs as a formula: an apostrophe is put before what looks like one, and
 * before text that is already protected so.
 */
export const protectText = (text: string): string => (looksLikeFormula(text) ? `'${text}` : text);

/** Undoes `protectText`: for every text, `unprotectText(protectText(text)) === text`. */
export const unprotectText = (text: string): string =>
  PROTECTED.test(text) ? text.slice(1) : text;

const NEEDS_QUOTES = /["\r\n\t,;|]|^\s|\s$/;

/**
 * One field as RFC 4180 asks; fields with any of the known delimiters are quoted, whichever is
 * used.
 */
export const delimitedField = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** One text cell: safe from being run as a formula, quoted as RFC 4180 asks. */
export const csvText = (value: string): string => delimitedField(protectText(value));
