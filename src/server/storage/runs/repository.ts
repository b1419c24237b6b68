import {
  blobPlaces,
  bringBlobsBack,
  countBlobs,
  moveBlobsOut,
  noteBlobPlace,
} from './blob-move.ts';
import { expireUploads, firstBlobs, missingBlobs, readBlob, uploadBlobs } from './blobs.ts';
import {
  checkedTo,
  contentStates,
  damagedRuns,
  isWhole,
  lackingContents,
  nextContent,
  noteWhole,
} from './run-check.ts';
import { contentsOf, describeRun, receiveRun } from './run-receive.ts';
import { contentCounts } from './run-counts.ts';
import { getRecorders, getRun, listRuns } from './runs.ts';
import { awaitedRuns } from './awaited-runs.ts';

export const runReads = {
  list: listRuns,
  get: getRun,
  recorders: getRecorders,
  contents: contentsOf,
  describe: describeRun,
  awaited: awaitedRuns,
  blob: readBlob,
  blobs: firstBlobs,
  missingBlobs,
  lacking: lackingContents,
  counts: contentCounts,
  states: contentStates,
  damaged: damagedRuns,
  nextContent,
  isWhole,
  blobPlaces,
  countBlobs,
};

export const runWrites = {
  putBlobs: uploadBlobs,
  expireUploads,
  noteWhole,
  checkedTo,
  receive: receiveRun,
  noteBlobPlace,
  moveBlobsOut,
  bringBlobsBack,
};
