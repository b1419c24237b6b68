import { z } from 'zod';
import type { NoticeSettings } from '../context/deps.ts';
import { about } from './about.ts';
import { ConfigError } from './binding.ts';

/** The settings that say how people and programs are notified of what waits for them. */
export const NOTICE_SETTINGS = {
  EVIDENCE_STUDIO_MAIL: z
    .string()
    .regex(/^smtps?:\/\/\S+$/, 'Must be an address such as smtps://user:password@mail.example.org.')
    .refine((text) => URL.canParse(text), 'Must be an address.')
    .optional()
    .meta(
      about(
        'Hosted',
        'The mail relay for people who ask for notices by e-mail, such as ' +
          '`smtps://user:password@mail.example.org:465`. Not set: none are sent.',
      ),
    ),
  EVIDENCE_STUDIO_MAIL_FROM: z
    .email()
    .optional()
    .meta(about('Hosted', 'The sender of these e-mails. Required with `EVIDENCE_STUDIO_MAIL`.')),
  EVIDENCE_STUDIO_WEBHOOKS: z
    .enum(['off', 'public', 'any'])
    .default('off')
    .meta(
      about(
        'Hosted',
        '`public`: owners have notices sent to programs at https addresses on the internet, ' +
          'signed by Standard Webhooks. `any`: also to addresses of private networks and without ' +
          'https, so that owners reach whatever this server reaches.',
      ),
    ),
};
const Settings = z.object(NOTICE_SETTINGS);

/** How people and programs are notified. Throws ConfigError where settings do not go together. */
export function noticesOf({
  EVIDENCE_STUDIO_MAIL: relay,
  EVIDENCE_STUDIO_MAIL_FROM: from,
  EVIDENCE_STUDIO_WEBHOOKS: webhooks,
}: z.infer<typeof Settings>): NoticeSettings {
  if ((relay === undefined) !== (from === undefined))
    throw new ConfigError(
      'EVIDENCE_STUDIO_MAIL and EVIDENCE_STUDIO_MAIL_FROM go together: set both, or neither.',
    );
  return {
    webhooks,
    mail: relay === undefined || from === undefined ? undefined : { relay, from },
  };
}
