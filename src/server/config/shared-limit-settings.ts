import { z } from 'zod';
import { about } from './about.ts';

/** The settings of limits that instances keep together. */
export const SHARED_LIMIT_SETTINGS = {
  EVIDENCE_STUDIO_RATE_LIMIT: z
    .string()
    .regex(
      /^(off|[1-9][0-9]{0,5}(\/[1-9][0-9]{0,5}){3})$/,
      'Must be off or four numbers, such as 60/20/1200/400.',
    )
    .optional()
    .meta(
      about(
        'Limits',
        'Requests a second of one key or person, writes among them, ' +
          'requests of an account, writes among them: `60/20/1200/400`. `off`: none. ' +
          'Not set: these where hosted, else none. Instances on one PostgreSQL keep the limits ' +
          'together.',
      ),
    ),
  EVIDENCE_STUDIO_REDIS: z
    .string()
    .refine(
      (text) => URL.canParse(text) && /^rediss?:\/\/[^/]/.test(text),
      'Must be an address such as redis://:PASSWORD@redis.example:6379, or rediss:// for TLS.',
    )
    .optional()
    .meta(
      about(
        'Limits',
        'A Redis or Valkey by which instances share what was used of the limits above, in place of ' +
          'rows in PostgreSQL, such as `redis://:PASSWORD@redis.example:6379`; `rediss://` by TLS. ' +
          'For more than about ten instances where no proxy keeps accounts at one. While it does ' +
          'not answer, each instance counts alone. Never logged.',
      ),
    ),
};
