import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { BlobPlace } from '../storage/blobs/place.ts';
import { about } from './about.ts';
import { ConfigError } from './binding.ts';

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)\/?$/;

type NamedPlace = { bucket: string; prefix: string } | { folder: string };

function parsePlace(text: string): NamedPlace | undefined {
  const [, bucket, prefix] = S3.exec(text) ?? [];
  if (bucket !== undefined && prefix !== undefined) return { bucket, prefix: prefix.slice(1) };
  if (text.startsWith('file:///') && URL.canParse(text)) {
    const { search, hash } = new URL(text);
    if (search === '' && hash === '') return { folder: path.resolve(fileURLToPath(text)) };
  }
  return path.isAbsolute(text) ? { folder: path.resolve(text) } : undefined;
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username, password } = new URL(text);
  return (
    ['https:', 'http:'].includes(protocol) &&
    pathname === '/' &&
    search + hash + username + password === ''
  );
}

const Endpoint = z
  .string()
  .refine(isEndpoint, 'Must be an address such as https://s3.example.org, without a path.');
const Region = z.string().regex(/^[a-z0-9-]{1,64}$/i, 'Must be a region such as eu-central-1.');
const Secret = z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'Must be visible ASCII characters.');

/** What other programs have set may be anything: it is looked at only where it is used. */
const usual = (of: string) =>
  z
    .string()
    .optional()
    .meta(about('Blobs', `Used where \`${of}\` is not set and blobs are in an S3 store.`));

/** The settings of blobs that are kept outside of the database. */
export const BLOB_SETTINGS = {
  EVIDENCE_STUDIO_BLOBS: z
    .string()
    .transform((text, ctx) => {
      const place = parsePlace(text);
      if (place === undefined)
        ctx.addIssue('Must be s3://BUCKET/PREFIX, file:///FOLDER or the path of a folder.');
      return place;
    })
    .optional()
    .meta(
      about(
        'Blobs',
        'Keep the blobs of runs here and not in PostgreSQL: `s3://BUCKET/PREFIX` (any ' +
          'S3-compatible store), `file:///FOLDER` or the path of a folder that all instances ' +
          'share. Blobs that are in the database are moved there. Not set: in the database. ' +
          'Not with SQLite.',
      ),
    ),
  EVIDENCE_STUDIO_BLOBS_ENDPOINT: Endpoint.optional().meta(
    about(
      'Blobs',
      'Scheme, host and port of the S3 store, such as `https://s3.example.org`. Not set: ' +
        "`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, or Amazon's of the region.",
    ),
  ),
  EVIDENCE_STUDIO_BLOBS_REGION: Region.optional().meta(
    about('Blobs', 'Its region. Not set: `AWS_REGION`, `AWS_DEFAULT_REGION`, or `us-east-1`.'),
  ),
  EVIDENCE_STUDIO_BLOBS_PATH_STYLE: z
    .enum(['on', 'off'])
    .optional()
    .meta(
      about(
        'Blobs',
        '`on`: the bucket is named in the path, `off`: in the name of the host. Not set: `on` ' +
          'where an endpoint is given, `off` for Amazon.',
      ),
    ),
  EVIDENCE_STUDIO_BLOBS_ACCESS_KEY_ID: Secret.optional().meta(
    about('Blobs', 'Name of the key to the S3 store. Not set: `AWS_ACCESS_KEY_ID`.'),
  ),
  EVIDENCE_STUDIO_BLOBS_SECRET_ACCESS_KEY: Secret.optional().meta(
    about('Blobs', 'The key itself. Not set: `AWS_SECRET_ACCESS_KEY`. Never logged.'),
  ),
  EVIDENCE_STUDIO_BLOBS_SESSION_TOKEN: Secret.optional().meta(
    about('Blobs', 'Token of a key that is good for a time. Not set: `AWS_SESSION_TOKEN`.'),
  ),
  AWS_ENDPOINT_URL_S3: usual('EVIDENCE_STUDIO_BLOBS_ENDPOINT'),
  AWS_ENDPOINT_URL: usual('EVIDENCE_STUDIO_BLOBS_ENDPOINT'),
  AWS_REGION: usual('EVIDENCE_STUDIO_BLOBS_REGION'),
  AWS_DEFAULT_REGION: usual('EVIDENCE_STUDIO_BLOBS_REGION'),
  AWS_ACCESS_KEY_ID: usual('EVIDENCE_STUDIO_BLOBS_ACCESS_KEY_ID'),
  AWS_SECRET_ACCESS_KEY: usual('EVIDENCE_STUDIO_BLOBS_ACCESS_KEY_ID'),
  AWS_SESSION_TOKEN: usual('EVIDENCE_STUDIO_BLOBS_ACCESS_KEY_ID'),
};

const BlobEnvironment = z.object(BLOB_SETTINGS);
type BlobEnvironment = z.infer<typeof BlobEnvironment>;

/** The first of these variables that is set; one of AWS is checked here. */
function firstOf(
  data: BlobEnvironment,
  names: readonly (keyof BlobEnvironment)[],
  schema: z.ZodType<string>,
): string | undefined {
  const name = names.find((one) => data[one] !== undefined && data[one] !== '');
  if (name === undefined) return undefined;
  const { success, data: value, error } = schema.safeParse(data[name]);
  if (success) return value;
  throw new ConfigError(
    `The environment variable ${name} cannot be used: ${error.issues[0]?.message}`,
  );
}

function credentialsOf(data: BlobEnvironment): {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
} {
  // Name, key and token belong together: none is taken from elsewhere than the others.
  const own = data.EVIDENCE_STUDIO_BLOBS_ACCESS_KEY_ID !== undefined;
  const part = (name: 'ACCESS_KEY_ID' | 'SECRET_ACCESS_KEY' | 'SESSION_TOKEN') =>
    firstOf(data, [own ? `EVIDENCE_STUDIO_BLOBS_${name}` : `AWS_${name}`], Secret);
  const [accessKeyId, secretAccessKey] = [part('ACCESS_KEY_ID'), part('SECRET_ACCESS_KEY')];
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ConfigError(
      'EVIDENCE_STUDIO_BLOBS names an S3 store: set EVIDENCE_STUDIO_BLOBS_ACCESS_KEY_ID and ' +
        'EVIDENCE_STUDIO_BLOBS_SECRET_ACCESS_KEY, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  return { accessKeyId, secretAccessKey, sessionToken: part('SESSION_TOKEN') };
}

/** Where blobs are kept outside of the database; undefined where they are in it. */
export function blobPlaceOf(
  data: BlobEnvironment & { DATABASE_URL?: string | undefined },
): BlobPlace | undefined {
  const place = data.EVIDENCE_STUDIO_BLOBS;
  if (place === undefined) return undefined;
  if (data.DATABASE_URL === undefined)
    throw new ConfigError(
      'EVIDENCE_STUDIO_BLOBS is for data in PostgreSQL: set DATABASE_URL, or take it away.',
    );
  if ('folder' in place) return { kind: 'folder', ...place };
  const region =
    firstOf(data, ['EVIDENCE_STUDIO_BLOBS_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION'], Region) ??
    'us-east-1';
  const endpoint = firstOf(
    data,
    ['EVIDENCE_STUDIO_BLOBS_ENDPOINT', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
    Endpoint,
  );
  return {
    kind: 's3',
    ...place,
    ...credentialsOf(data),
    region,
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    pathStyle: (data.EVIDENCE_STUDIO_BLOBS_PATH_STYLE ?? (endpoint ? 'on' : 'off')) === 'on',
  };
}
