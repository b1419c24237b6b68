/**
 * Parsed JSON that a test looks into without saying its shape first: schemas are checked by their
 * own tests.
 */
export type Json = any;
