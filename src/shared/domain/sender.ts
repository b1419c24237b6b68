import { z } from 'zod';
import { known } from './uid.ts';

/**
 * Who brought a change here, which its author need not have done; `key_id` and `key_name` where it
 * was a key.
 */
export const Sender = z.strictObject({
  user_id: known.userId,
  name: z.string().nullable(),
  key_id: known.keyId.nullable(),
  key_name: z.string().nullable(),
});
export type Sender = z.infer<typeof Sender>;
