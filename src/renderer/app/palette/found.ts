/** Begins the ids of what the server found: it is no command to remember. */
export const FOUND = 'found.';
