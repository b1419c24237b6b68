/** What makes a spreadsheet read a field of plain text as a formula. */
const FORMULA = /^'*[=+\-@\t\r]/;
const PROTECTED = /^'+[=+\-@\t\r]/;

/** Text that no spreadsheet runs as a formula: an apostrophe comes before what looks like one, and before what is already so protected. */
export const protectText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Undoes `protectText`: for every text, `unprotectText(protectText(text)) === text`. */
export const unprotectText = (text: string): string => (PROTECTED.test(text) ? text.slice(1) : text);
