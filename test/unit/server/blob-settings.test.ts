import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/server/config/config.ts';
import { addressOf } from '../../../src/server/storage/blobs/s3-store.ts';
import type { BlobPlace, S3Place } from '../../../src/server/storage/blobs/place.ts';

const DATABASE_URL = 'postgres://studio@127.0.0.1/studio';
const OWN = {
  EVIDENCE_STUDIO_BLOBS_ACCESS_KEY_ID: 'own',
  EVIDENCE_STUDIO_BLOBS_SECRET_ACCESS_KEY: 'own-secret',
};
const USUAL = { AWS_ACCESS_KEY_ID: 'usual', AWS_SECRET_ACCESS_KEY: 'usual-secret' };
const read = (blobs: string, env: NodeJS.ProcessEnv = {}): BlobPlace | undefined =>
  readConfig({ DATABASE_URL, EVIDENCE_STUDIO_BLOBS: blobs, ...env }).blobs;

describe('where blobs are kept', () => {
  it('is a folder, by its path or its address', () => {
    expect(read('/srv/blobs/')).toEqual({ kind: 'folder', folder: '/srv/blobs' });
    expect(read('file:///srv/my%20blobs')).toEqual({ kind: 'folder', folder: '/srv/my blobs' });
  });

  it('is a bucket and a prefix, with the settings of its own before those of AWS', () => {
    expect(read('s3://studio-blobs', USUAL)).toEqual({
      kind: 's3',
      bucket: 'studio-blobs',
      prefix: '',
      endpoint: 'https://s3.us-east-1.amazonaws.com',
      region: 'us-east-1',
      pathStyle: false,
      accessKeyId: 'usual',
      secretAccessKey: 'usual-secret',
      sessionToken: undefined,
    });
    expect(
      read('s3://studio-blobs/a/b/', {
        ...USUAL,
        ...OWN,
        AWS_SESSION_TOKEN: 'of the other key',
        AWS_REGION: 'eu-central-1',
        AWS_ENDPOINT_URL: 'http://127.0.0.1:9000',
      }),
    ).toMatchObject({
      prefix: 'a/b',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-central-1',
      pathStyle: true,
      accessKeyId: 'own',
      secretAccessKey: 'own-secret',
      sessionToken: undefined,
    });
    expect(
      read('s3://studio-blobs', {
        ...USUAL,
        AWS_SESSION_TOKEN: 'token',
        AWS_REGION: 'eu-central-1',
        EVIDENCE_STUDIO_BLOBS_REGION: 'us-west-2',
        EVIDENCE_STUDIO_BLOBS_ENDPOINT: 'https://s3.example.org',
        EVIDENCE_STUDIO_BLOBS_PATH_STYLE: 'off',
      }),
    ).toMatchObject({
      endpoint: 'https://s3.example.org',
      region: 'us-west-2',
      pathStyle: false,
      sessionToken: 'token',
    });
  });

  it('has an address in either style', () => {
    const place = read('s3://studio-blobs/one', USUAL) as S3Place;
    expect(addressOf(place, 'a/b').href).toBe(
      'https://studio-blobs.s3.us-east-1.amazonaws.com/one/a/b',
    );
    expect(
      addressOf({ ...place, endpoint: 'http://127.0.0.1:9000', pathStyle: true }, 'a/b').href,
    ).toBe('http://127.0.0.1:9000/studio-blobs/one/a/b');
  });

  it.each([
    ['blobs', USUAL, 'Must be s3://BUCKET/PREFIX'],
    ['s3://key:secret@bucket', USUAL, 'Must be s3://BUCKET/PREFIX'],
    ['s3://bucket/a/../b', USUAL, 'Must be s3://BUCKET/PREFIX'],
    ['s3://Bucket', USUAL, 'Must be s3://BUCKET/PREFIX'],
    ['file://host/folder', {}, 'Must be s3://BUCKET/PREFIX'],
    ['https://bucket.example.org', USUAL, 'Must be s3://BUCKET/PREFIX'],
    ['s3://bucket', {}, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'],
    ['s3://bucket', { ...USUAL, AWS_SECRET_ACCESS_KEY: '' }, 'AWS_SECRET_ACCESS_KEY'],
    [
      's3://bucket',
      { ...USUAL, EVIDENCE_STUDIO_BLOBS_ACCESS_KEY_ID: 'own' },
      'EVIDENCE_STUDIO_BLOBS_SECRET_ACCESS_KEY',
    ],
    ['s3://bucket', { ...USUAL, AWS_REGION: 'eu/central' }, 'AWS_REGION cannot be used'],
    ['s3://bucket', { ...USUAL, AWS_ENDPOINT_URL: 'http://x/y' }, 'AWS_ENDPOINT_URL cannot'],
    ['/srv/blobs', { DATABASE_URL: undefined }, 'is for data in PostgreSQL'],
  ])('is refused in a sentence: %s %j', (blobs, env, words) => {
    expect(() => read(blobs, env)).toThrow(words);
  });

  it('leaves a server alone whose variables of AWS are for something else', () => {
    expect(readConfig({ AWS_REGION: '!', AWS_ENDPOINT_URL: 'x' }).blobs).toBeUndefined();
  });
});
