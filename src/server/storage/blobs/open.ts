import type { ObjectStore } from './object-store.ts';
import { OutsideBlobs } from './outside-blobs.ts';
import { type BlobPlace, placeName } from './place.ts';

/** Each kind is loaded where it is configured alone. */
async function objectsIn(place: BlobPlace): Promise<ObjectStore> {
  return place.kind === 'folder'
    ? (await import('./folder-store.ts')).openFolderStore(place.folder)
    : (await import('./s3-store.ts')).openS3Store(place);
}

export async function openOutsideBlobs(place: BlobPlace): Promise<OutsideBlobs> {
  return new OutsideBlobs(await objectsIn(place), placeName(place));
}
