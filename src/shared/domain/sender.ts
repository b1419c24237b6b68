import { z } from 'zod';

/**
 * Who brought a change here, which its author need not have done; `key_id` and `key_name` where it
 * was a key.
 */
export const Sender = z.strictObject({
  user_id: z.string(),
  name: z.string().nullable(),
  key_id: z.string().nullable(),
  key_name: z.string().nullable(),
});
export type Sender = z.infer<typeof Sender>;
