/** A dialog is open as long as it is drawn. */
export const isDialogOpen = (): boolean => document.querySelector('.dialog') !== null;
