/** One that is closing, and is only still seen, is not open. */
export const isDialogOpen = (): boolean => document.querySelector('.dialog[data-open]') !== null;
