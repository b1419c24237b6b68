/** An S3-compatible store, and what is needed to reach it. */
export interface S3Place {
  kind: 's3';
  bucket: string;
  /** What all keys begin with, without slashes at either end; may be empty. */
  prefix: string;
  /** Scheme, host and port. */
  endpoint: string;
  region: string;
  /** Whether the bucket is named in the path; else it is in the name of the host. */
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

/** Where blobs are kept that are not in the database. */
export type BlobPlace = S3Place | { kind: 'folder'; folder: string };

/** The place as it may be shown and logged: without credentials. */
export function placeName(place: BlobPlace): string {
  if (place.kind === 'folder') return place.folder;
  return `s3://${place.bucket}${place.prefix === '' ? '' : `/${place.prefix}`}`;
}
