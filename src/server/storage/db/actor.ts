import type { AccountId, UserId, KeyId } from '../../../shared/contract/ids.ts';
import type { Sender } from '../../../shared/domain/sender.ts';

/** Who acts. `kind` is `human` for a session or the window, `agent` for an API key. */
export interface Actor {
  account_id: AccountId;
  user_id: UserId;
  user_name: string;
  kind: 'human' | 'agent';
  key_id: KeyId | null;
  key_name: string | null;
}

export const senderOf = ({ user_id, user_name, key_id, key_name }: Actor): Sender => ({
  user_id,
  name: user_name,
  key_id,
  key_name,
});

/**
 * Whether the caller may show a document to every account. Else an owner of the account does, or
 * whoever runs the server.
 */
export type MayPublish = boolean | 'operator';
