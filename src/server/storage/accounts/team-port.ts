import type { Role } from '../../../shared/contract/v1/account.ts';
import type { Invitation, Member } from '../../../shared/contract/v1/team.ts';

export interface SignedIn {
  account_id: string;
  user_id: string;
}
/** How a session began, how long it lasts, and what is known of its browser. */
export interface NewSession extends SignedIn {
  method: 'password' | 'link';
  expires_at: string;
  address: string;
  browser: string;
}
export interface StoredSession extends NewSession {
  session_id: string;
  user_name: string;
  role: Role;
  created_at: string;
  last_seen_at: string;
  /** When the person last entered the password. */
  confirmed_at: string;
}

/**
 * A person who may sign in with a password; the hash as a PHC string, or null where there is none.
 */
export interface Person {
  user_id: string;
  name: string;
  email: string | null;
  password: string | null;
  /** Since when the operator has ended the person's access; null: they may come in. */
  disabled_at: string | null;
}
/**
 * A person as the operator of the server sees them. `keys`: how many of theirs are in force.
 * `last_seen_at`: by session or key.
 */
export interface ListedPerson {
  user_id: string;
  name: string;
  email: string | null;
  state: 'active' | 'disabled' | 'no password';
  disabled_at: string | null;
  accounts: { account_id: string; name: string; role: Role }[];
  last_seen_at: string | null;
  keys: number;
}
/**
 * What ended with a person's access: how many sessions and invitations, and the keys that are
 * refused from then on.
 */
export interface EndedAccess {
  user_id: string;
  name: string;
  accounts: string[];
  sessions: number;
  invitations: number;
  keys: number;
}
export interface NewInvitation {
  account_id: string;
  role: Role;
  name: string | null;
  /** The user whose password is to be chosen; null for an invitation, by which somebody joins. */
  user_id: string | null;
  /** Null where the server's operator made it. */
  created_by: string | null;
  expires_at: string;
}
export interface OpenInvitation {
  invitation_id: string;
  account_id: string;
  account_name: string;
  role: Role;
  user_id: string | null;
  email: string | null;
}
/** Wrong passwords that were tried for a person from one address; `refused` were not compared. */
export interface Tried {
  user_id: string;
  /** A hash of the address. */
  subject: string;
  wrong: number;
  refused: number;
  first_at: string;
  last_at: string;
}
export interface TriedPasswords {
  wrong: number;
  refused: number;
  addresses: number;
  first_at: string;
  last_at: string;
}
/** The points counted in the present window, and how long it still lasts, ms. */
export interface Counted {
  points: number;
  left: number;
}

export interface TeamReader {
  members(account: string): Promise<Member[]>;
  member(account: string, userId: string): Promise<Member | undefined>;
  /** The accounts of a user in the order in which they joined them. */
  accountsOf(
    userId: string,
  ): Promise<{ account_id: string; name: string; role: Role; last_seen_at: string | null }[]>;
  /** Invitations that can still be used. */
  invitations(account: string): Promise<Invitation[]>;
  invitation(hash: string): Promise<OpenInvitation | undefined>;
  /** Whether an owner of the account may come in. Without one its members may read and no more. */
  hasOwner(account: string): Promise<boolean>;
  /** Everybody on this server. */
  people(): Promise<ListedPerson[]>;
  person(userId: string): Promise<Person | undefined>;
  personByEmail(email: string): Promise<Person | undefined>;
  sessions(userId: string): Promise<StoredSession[]>;
  /** Wrong passwords that were tried for the person elsewhere; undefined where there were none. */
  triedPasswords(userId: string): Promise<TriedPasswords | undefined>;
  /** Whether a hosted server has been set up. */
  isSetUp(): Promise<boolean>;
}

export interface SessionWriter {
  /** Starts a session; returns its identifier. */
  create(hash: string, session: NewSession): Promise<string>;
  remove(hash: string): Promise<void>;
  /** One-time sign-in links, stored by hash and deleted when they are used or expire. */
  addLink(
    hash: string,
    link: { account_id: string; user_id: string; expires_at: string },
  ): Promise<void>;
  takeLink(hash: string): Promise<(SignedIn & { user_name: string }) | undefined>;
  /**
   * Ends sessions of a person: one of them, or all but the one with this hash. Returns how many.
   */
  end(userId: string, which: { session_id: string } | { but: string | null }): Promise<number>;
  /** Notes that the person of this session has just entered the password. */
  confirm(hash: string): Promise<void>;
  switch(hash: string, account: string): Promise<void>;
  used(hash: string, person: SignedIn, at: string): Promise<void>;
}

export interface TeamWriter {
  /**
   * Waits until nobody else changes who may do what in the account, and keeps others from it until
   * the transaction ends.
   */
  lock(account: string): Promise<void>;
  /** Both throw not_found, and conflict where the last owner would be lost. */
  changeRole(
    account: string,
    userId: string,
    role: Role,
  ): Promise<{ former: Member; member: Member }>;
  remove(account: string, userId: string): Promise<Member>;
  /** Adds a member. Throws conflict where the person is in the account already. */
  add(account: string, userId: string, role: Role): Promise<void>;
  createAccount(name: string, owner: string): Promise<{ account_id: string; name: string }>;
  rename(
    account: string,
    name: string,
  ): Promise<{ account_id: string; name: string; former: string }>;
  invite(hash: string, invitation: NewInvitation): Promise<Invitation>;
  withdraw(account: string, invitationId: string): Promise<Invitation | undefined>;
  /** Uses an invitation up; returns whether it could be used. */
  take(hash: string): Promise<boolean>;
  /** Throws conflict where the e-mail address is taken. */
  createPerson(person: { name: string; email: string }): Promise<string>;
  /**
   * The password as it is kept, which stays so until the transaction ends; null where there is
   * none.
   */
  holdPassword(userId: string): Promise<string | null>;
  /** With either, links by which a password would be chosen end. */
  setPassword(userId: string, phc: string): Promise<void>;
  clearPassword(userId: string): Promise<void>;
  /** Both answer undefined where nothing was to be changed. */
  disable(userId: string): Promise<EndedAccess | undefined>;
  enable(userId: string): Promise<Pick<EndedAccess, 'user_id' | 'name' | 'accounts'> | undefined>;
  /** Revokes every key of the person; answers those that were in force. */
  endKeys(userId: string): Promise<{ key_id: string; account_id: string; name: string }[]>;
}

export interface SetupWriter {
  addToken(hash: string, expires_at: string): Promise<void>;
  /**
   * Whether the token is one that was printed. A wrong one counts; after five none works any more.
   */
  tryToken(hash: string | undefined): Promise<boolean>;
  /** Notes that the server is set up; returns whether this was the first time. */
  mark(): Promise<boolean>;
  /** Renames the account and the person that the store began with. */
  nameFirst(names: { team: string; name: string; email: string }): Promise<void>;
}

export interface SignInLimits {
  /** Counts points against a subject (a hash); a negative number gives points back. */
  count(subject: string, points: number, within: number): Promise<Counted>;
  /** Deletes windows that began before this time, ms since 1970. */
  forget(before: number): Promise<void>;
  countTried(tried: readonly Tried[]): Promise<void>;
  /** Answers whether there was anything to be told. */
  forgetTried(userId: string): Promise<boolean>;
  /** Deletes what was last counted before this time. */
  expireTried(before: string): Promise<void>;
}
