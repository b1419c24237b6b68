import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { TimeStampSettings } from '../context/deps.ts';
import { about } from './about.ts';
import { ConfigError } from './binding.ts';

/** The settings that say which authority stamps the time of signatures (RFC 3161). */
export const TIME_STAMP_SETTINGS = {
  EVIDENCE_STUDIO_TIME_STAMP_URL: z
    .url({ protocol: /^https?$/, error: 'Must be an https:// or http:// address.' })
    .refine((text) => {
      const { username, password, hash } = new URL(text);
      return username === '' && password === '' && hash === '';
    }, 'Must be an address without user, password and fragment.')
    .optional()
    .meta(
      about(
        'Operation',
        'The address of a time-stamp authority (RFC 3161). It is asked for a time-stamp of each ' +
          'signature on a run that is made here, and told a SHA-256 alone. Needs ' +
          '`EVIDENCE_STUDIO_TIME_STAMP_CA`. Not set: none is asked.',
      ),
    ),
  EVIDENCE_STUDIO_TIME_STAMP_CA: z
    .string()
    .min(1)
    .optional()
    .meta(
      about(
        'Operation',
        'A PEM file with the certificates of the authorities whose time-stamps are trusted here, ' +
          'those that studios bring and files hold, too. Not set: it is said that an authority is not known.',
      ),
    ),
  EVIDENCE_STUDIO_TIME_STAMP_POLICY: z
    .string()
    .regex(/^[0-2](\.(0|[1-9][0-9]{0,9})){1,30}$/, 'Must be an object identifier, such as 1.2.3.')
    .optional()
    .meta(
      about(
        'Operation',
        'The policy that is asked for, as an object identifier; a time-stamp under another one is refused. ' +
          "Not set: the authority's own.",
      ),
    ),
  EVIDENCE_STUDIO_TIME_STAMP_PRIVATE: z
    .enum(['0', '1'])
    .default('0')
    .meta(
      about('Operation', '1: the authority may have an address that is not one on the internet.'),
    ),
};
const Settings = z.object(TIME_STAMP_SETTINGS);

/** The certificates in a PEM file. Throws ConfigError where there are none. */
function certificatesIn(file: string): string {
  let pem = '';
  try {
    pem = readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`EVIDENCE_STUDIO_TIME_STAMP_CA: ${file} cannot be read.`);
  }
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConfigError(`EVIDENCE_STUDIO_TIME_STAMP_CA: there is no certificate in ${file}.`);
  return pem;
}

/** Who stamps the time. Throws ConfigError where settings do not go together. */
export function timeStampsOf({
  EVIDENCE_STUDIO_TIME_STAMP_URL: url,
  EVIDENCE_STUDIO_TIME_STAMP_CA: file,
  EVIDENCE_STUDIO_TIME_STAMP_POLICY: policy,
  EVIDENCE_STUDIO_TIME_STAMP_PRIVATE: isPrivate,
}: z.infer<typeof Settings>): TimeStampSettings {
  if (url !== undefined && file === undefined)
    throw new ConfigError(
      'EVIDENCE_STUDIO_TIME_STAMP_URL needs EVIDENCE_STUDIO_TIME_STAMP_CA: what an authority ' +
        'answers is checked.',
    );
  return {
    authority: url === undefined ? undefined : { url, policy, mayBePrivate: isPrivate === '1' },
    trusted: file === undefined ? '' : certificatesIn(file),
  };
}
