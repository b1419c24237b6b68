/**
 * The id that Base UI gives the label of a control of this id. It tells the control of its label
 * only after the frame in which both first stand on the page; said by us, it has its name at once.
 */
export const labelIdOf = (id: string): string => `${id}-label`;
