import { type Credential, mayRelay } from './rights.ts';

/**
 * Who somebody is as a recorder of a round: a key by its id; a person, and the person of a studio,
 * by theirs.
 */
export const participantIdOf = (
  credential: Pick<Credential, 'authMethod' | 'scopes' | 'actor'>,
): string =>
  credential.actor.key_id === null || mayRelay(credential)
    ? credential.actor.user_id
    : credential.actor.key_id;
