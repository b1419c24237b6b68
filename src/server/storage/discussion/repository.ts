import { assignPlaces, listAssignments } from './assignments.ts';
import { getThread, listThreads } from './show-threads.ts';
import { listWaiting } from './waiting.ts';
import { addToThread, openThread } from './write-threads.ts';

export const discussionReads = {
  list: listThreads,
  get: getThread,
  assignments: listAssignments,
  waiting: listWaiting,
};
export const discussionWrites = {
  open: openThread,
  add: addToThread,
  assign: assignPlaces,
};
