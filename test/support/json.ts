/** Parsed JSON that a test looks into without saying its shape first: schemas are checked by their own tests. */
// oxlint-disable-next-line typescript/no-explicit-any -- `unknown` would put a cast before every look.
export type Json = any;
