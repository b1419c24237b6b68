import { z } from 'zod';

/** Why an update is not taken, each in one sentence with the version that was offered. */
export const UPDATE_REFUSALS = {
  unreachable: 'The place of updates did not answer. Nothing was downloaded.',
  not_a_list: 'What the place of updates answers is no list of updates. Nothing was downloaded.',
  not_signed:
    'The list of updates is not signed by the publisher of this studio, or was changed on the way. Nothing was downloaded.',
  older:
    'The place of updates offers version {version}, which is older than {known}. It was refused.',
  did_not_start:
    'Version {version} did not start on this computer, and the version before was put back. It is not installed again.',
  changed:
    'The download of version {version} is not what the publisher signed. It was thrown away.',
  cut: 'The download of version {version} ended before it was whole. It was thrown away; the next look begins again.',
  no_room: 'There is no room on the disk for version {version}.',
  failed: 'Version {version} could not be installed. The log in the data folder says more.',
} as const;
export type UpdateRefusal = keyof typeof UPDATE_REFUSALS;

const Version = z.string().max(40);
const Refused = z.strictObject({
  kind: z.literal('refused'),
  code: z.enum(Object.keys(UPDATE_REFUSALS) as [UpdateRefusal, ...UpdateRefusal[]]),
  version: Version,
  /** The version that one offered is older than. */
  known: Version,
});

const Progress = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('idle') }),
  z.strictObject({ kind: z.literal('looking') }),
  z.strictObject({ kind: z.literal('current') }),
  z.strictObject({ kind: z.literal('downloading'), version: Version, percent: z.int() }),
  /** `deferred`: asked to install it, the window was still storing what was recorded. */
  z.strictObject({ kind: z.literal('ready'), version: Version, deferred: z.boolean() }),
  Refused,
]);
export type UpdateProgress = z.infer<typeof Progress>;

/** How this studio gets newer versions, and how far one is. */
export const UpdateStatus = z.strictObject({
  /** `system`: with the packages of the system; `none`: from whoever handed the studio on. */
  by: z.enum(['itself', 'system', 'none']),
  /** Whether it looks by itself, once a day. */
  on: z.boolean(),
  /**
   * Whether a version that does not start is replaced by the one before: where it is an AppImage.
   */
  puts_back: z.boolean(),
  /** Where it looks. */
  place: z.string().nullable(),
  looked_at: z.iso.datetime().nullable(),
  progress: Progress,
});
export type UpdateStatus = z.infer<typeof UpdateStatus>;
