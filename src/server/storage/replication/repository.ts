import { positions } from './case-positions.ts';
import { listLinks, moveLinkOf } from './links.ts';
import { changesAt, logIds, logPosition } from './log-offer.ts';
import { push, receive } from './log-push.ts';
import { missingDocuments, neededProfiles } from './needed-profiles.ts';
import { pendingUploads, notePendingUpload } from './pending-uploads.ts';
import { projectNames, setShared, sharedProjects, sharedStreams } from './shared-streams.ts';
import { sealedToken } from '../rounds/given-layers.ts';
import { snapshotChunk } from './snapshot.ts';
import {
  acceptUnsendable,
  keptChanges,
  markUnsendable,
  refusedIn,
  setAside,
} from './unsendable.ts';
import { leftUnsent, standFor, takeBack, unsentChanges, unsentOfOthers } from './unsent.ts';
import {
  becomeUser,
  restartLinks,
  earlierUsers,
  readUplink,
  sentFor,
  writeUplink,
} from './uplink.ts';

/** What of the logs is read and written for an exchange with another server. */
export const syncReads = {
  sealedToken,
  links: listLinks,
  position: logPosition,
  positions,
  ids: logIds,
  at: changesAt,
  snapshot: snapshotChunk,
};
export const syncWrites = { push, receive, moveLink: moveLinkOf };

export const uplinkReads = {
  read: readUplink,
  sentFor,
  earlierUsers,
  ofOthers: unsentOfOthers,
  left: leftUnsent,
  unsent: unsentChanges,
  projects: projectNames,
  shared: sharedProjects,
  streams: sharedStreams,
  refused: refusedIn,
  aside: setAside,
  kept: keptChanges,
  pendingUploads,
  profiles: neededProfiles,
  missingDocuments,
};
export const uplinkWrites = {
  write: writeUplink,
  share: setShared,
  become: becomeUser,
  standFor,
  takeBack,
  restartLinks,
  refuse: markUnsendable,
  accept: acceptUnsendable,
  notePendingUpload,
};
