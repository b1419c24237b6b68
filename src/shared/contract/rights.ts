import type { ErrorCode } from './errors.ts';
import type { Recorder } from '../domain/run-recorders.ts';
import { changes, type OperationAccess, isAllowed } from './roles.ts';
import type { Role, Scope } from './v1/account.ts';
import type { ProjectId, KeyId, UserId } from './ids.ts';

/**
 * Who asks, and with what. `authMethod`: an API key, a browser session, or the desktop's own
 * window.
 */
export interface Credential {
  authMethod: 'key' | 'session' | 'window';
  actor: { user_id: UserId; user_name: string; key_id: KeyId | null; key_name: string | null };
  role: Role;
  /** What a key is for; a person's session needs none. */
  scopes: readonly Scope[];
  /** The projects that a key is limited to; null: the whole account. */
  projects: readonly ProjectId[] | null;
  /** A person has paused the key: it reads, and changes nothing. */
  isPaused?: boolean;
}

/** The author as a change states it. `name` comes from outside and may be anything. */
export interface StatedAuthor {
  user: string;
  kind: string;
  agent: string | null;
  key: string | null;
  name?: unknown;
}

export type Act =
  /** Calls an operation of the API. */
  | { do: 'call'; entry: OperationAccess }
  /** Removes an item, a case or a project, or brings a removed one back. */
  | { do: 'remove' }
  /** Brings a person's decision about a suggestion, or a policy of a case. */
  | { do: 'decide' }
  /**
   * Brings a change that states this author. `sameAs`: ids that the calling person of a studio had
   * here before it was connected, under whatever names.
   */
  | { do: 'bring'; by: StatedAuthor; sameAs?: ReadonlySet<string> }
  /** Brings a run that states this name of who froze it. */
  | { do: 'bring run'; by: string }
  /** Brings a run that states that this author recorded outcomes of it. */
  | { do: 'bring recorder'; by: Recorder }
  /** Touches something of this project; null: of none, or of one that does not exist yet. */
  | { do: 'reach'; project: ProjectId | null };

export type Denial = Extract<
  ErrorCode,
  'insufficient_scope' | 'key_paused' | 'read_only_role' | 'author_not_allowed' | 'not_found'
>;

type Right = 'read' | 'suggest' | 'write' | 'remove' | 'relay';
const GRANTS: Readonly<Record<Scope, readonly Right[]>> = {
  read: ['read'],
  suggest: ['read', 'suggest'],
  write: ['suggest', 'write'],
  delete: ['remove'],
  sync: ['read', 'suggest', 'write', 'remove', 'relay'],
};

const grants = (
  { authMethod, scopes }: Pick<Credential, 'authMethod' | 'scopes'>,
  right: Right,
): boolean =>
  authMethod === 'key' ? scopes.some((scope) => GRANTS[scope].includes(right)) : right !== 'relay';

/** Whether a key with these scopes may do nothing that one with the others may not. */
export function covers(scopes: readonly Scope[], fewer: readonly Scope[]): boolean {
  const rights = new Set(scopes.flatMap((scope) => GRANTS[scope]));
  return fewer.every((scope) => GRANTS[scope].every((right) => rights.has(right)));
}

/** Whether these credentials are a studio's, which brings what others have written there. */
export const mayRelay = (credential: Pick<Credential, 'authMethod' | 'scopes'>): boolean =>
  grants(credential, 'relay');

/**
 * What these credentials allow, as a role: a key that may only read allows no more than a viewer
 * may do.
 */
export const effectiveRole = (
  credential: Pick<Credential, 'authMethod' | 'role' | 'scopes'>,
): Role => (grants(credential, 'write') ? credential.role : 'viewer');

function mayCall(credential: Credential, entry: OperationAccess): Denial | undefined {
  const { access } = entry;
  if (entry.whole === true && credential.projects !== null) return 'insufficient_scope';
  if (
    access === 'session'
      ? credential.authMethod === 'key'
      : access !== 'open' && !grants(credential, access)
  )
    return 'insufficient_scope';
  if (credential.isPaused === true && access !== 'read' && access !== 'open') return 'key_paused';
  if (isAllowed(credential.role, entry)) return undefined;
  return credential.role === 'viewer' && changes(entry) ? 'read_only_role' : 'insufficient_scope';
}

/** Whether a change is the very caller's: a key's names the key, a person's names no key. */
export function isOwn(
  { authMethod, actor }: Pick<Credential, 'authMethod' | 'actor'>,
  by: StatedAuthor,
  sameAs?: ReadonlySet<string>,
): boolean {
  const isNamed = by.name === undefined || by.name === actor.user_name;
  if (authMethod === 'key')
    return (
      by.user === actor.user_id &&
      by.kind === 'agent' &&
      by.key === actor.key_id &&
      by.agent === actor.key_name &&
      isNamed
    );
  if (by.kind !== 'human' && by.kind !== 'import') return false;
  return (
    by.agent === null &&
    by.key === null &&
    ((by.user === actor.user_id && isNamed) || sameAs?.has(by.user) === true)
  );
}

function isOwnRecorder(
  { authMethod, actor }: Pick<Credential, 'authMethod' | 'actor'>,
  { kind, name, key_id, accepted_by }: Recorder,
): boolean {
  if (accepted_by !== undefined) return false;
  if (authMethod === 'key')
    return (
      kind === 'agent' &&
      name === actor.key_name &&
      (key_id === undefined || key_id === actor.key_id)
    );
  return kind !== 'agent' && name === actor.user_name && key_id === undefined;
}

/** What credentials may do: the one rule, asked by REST and by push. Undefined: it is allowed. */
export function denialOf(credential: Credential, act: Act): Denial | undefined {
  switch (act.do) {
    case 'call':
      return mayCall(credential, act.entry);
    case 'remove':
      return grants(credential, 'remove') ? undefined : 'insufficient_scope';
    // A studio's key brings what its persons decided; no key decides.
    case 'decide':
      return credential.authMethod !== 'key' || mayRelay(credential)
        ? undefined
        : 'insufficient_scope';
    case 'bring':
      return mayRelay(credential) || isOwn(credential, act.by, act.sameAs)
        ? undefined
        : 'author_not_allowed';
    case 'bring run':
      return mayRelay(credential) ||
        act.by === (credential.actor.key_name ?? credential.actor.user_name)
        ? undefined
        : 'author_not_allowed';
    case 'bring recorder':
      return mayRelay(credential) || isOwnRecorder(credential, act.by)
        ? undefined
        : 'author_not_allowed';
    case 'reach':
      return credential.projects === null ||
        (act.project !== null && credential.projects.includes(act.project))
        ? undefined
        : 'not_found';
  }
}
