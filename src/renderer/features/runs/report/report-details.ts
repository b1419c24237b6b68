import { z } from 'zod';
import { readStored, writeStored } from '../../../state/stored.ts';
import { t } from '../../../text/t.ts';

/** What a report says that no run holds: kept on this computer, and no part of the content hash. */
export const Lab = z.strictObject({
  name: z.string().max(200),
  /** The image as a `data:` address; empty where there is none. */
  logo: z
    .string()
    .max(400_000)
    .regex(/^(?:data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/]+=*)?$/, t('Must be a PNG or JPEG.')),
});
export type Lab = z.infer<typeof Lab>;

export const ReportDetails = z.strictObject({
  question: z.string().max(2_000),
  prepared_by: z.string().max(200),
  reviewed_by: z.string().max(200),
  date: z
    .string()
    .regex(/^(?:\d{4}-\d{2}-\d{2})?$/, t('Must be a date such as 2026-11-23, or nothing.')),
});
export type ReportDetails = z.infer<typeof ReportDetails>;

/** Runs whose details are remembered; those edited last. */
const MAX_RUNS = 200;
const Known = z.array(z.tuple([z.string(), ReportDetails])).max(MAX_RUNS);

const LAB_KEY = 'evidence-studio.report.lab';
const RUNS_KEY = 'evidence-studio.report.runs';

export const NO_LAB: Lab = { name: '', logo: '' };

export const readLab = (): Lab => readStored(LAB_KEY, Lab) ?? NO_LAB;
/** False where it could not be kept. */
export const writeLab = (lab: Lab): boolean => writeStored(LAB_KEY, lab);

const readKnown = (): z.infer<typeof Known> => readStored(RUNS_KEY, Known) ?? [];

export function readDetails(runUid: string): ReportDetails | undefined {
  return readKnown().find(([uid]) => uid === runUid)?.[1];
}

export function writeDetails(runUid: string, details: ReportDetails): boolean {
  const others = readKnown().filter(([uid]) => uid !== runUid);
  return writeStored(RUNS_KEY, [[runUid, details], ...others].slice(0, MAX_RUNS));
}

/** Bytes of a logo file at most; as text it is a third longer. */
export const MAX_LOGO_BYTES = 256 * 1024;

const SIGNATURES = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
] as const;

/** A logo as text, by what the file is and not by its name; undefined where it is no such image. */
export function logoOf(bytes: Uint8Array): string | undefined {
  const [type] =
    SIGNATURES.find(([, signature]) => signature.every((byte, at) => bytes[at] === byte)) ?? [];
  if (type === undefined || bytes.length > MAX_LOGO_BYTES) return undefined;
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `data:${type};base64,${btoa(binary)}`;
}
