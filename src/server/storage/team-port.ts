import type { Role } from '../../shared/contract/v1/account.ts';
import type { Invitation, Member } from '../../shared/contract/v1/team.ts';

export interface SignedIn {
  account_id: string;
  user_id: string;
}
/** How a session began, until when it lasts, and what is known of the browser. */
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
  /** When the person last gave the password. */
  confirmed_at: string;
}

/** Who signs in with a password, as stored: a PHC string, or null where there is none. */
export interface Person {
  user_id: string;
  name: string;
  email: string | null;
  password: string | null;
}
export interface NewInvitation {
  account_id: string;
  role: Role;
  name: string | null;
  /** Whose password is to be chosen; null where whoever takes it joins. */
  user_id: string | null;
  /** Null: the operator of the server. */
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
/** What is counted in a window of tries, and how long it still lasts, ms. */
export interface Counted {
  points: number;
  left: number;
}

export interface TeamReader {
  members(account: string): Promise<Member[]>;
  member(account: string, userId: string): Promise<Member | undefined>;
  /** In the order of joining. */
  accountsOf(userId: string): Promise<{ account_id: string; name: string; role: Role; last_seen_at: string | null }[]>;
  /** Those that can still be taken. */
  invitations(account: string): Promise<Invitation[]>;
  invitation(hash: string): Promise<OpenInvitation | undefined>;
  person(userId: string): Promise<Person | undefined>;
  personByEmail(email: string): Promise<Person | undefined>;
  sessions(userId: string): Promise<StoredSession[]>;
  /** Whether a hosted server has its first owner. */
  isSetUp(): Promise<boolean>;
}

export interface SessionWriter {
  /** Answers the session's identifier. */
  create(hash: string, session: NewSession): Promise<string>;
  remove(hash: string): Promise<void>;
  /** One-time sign-in links: stored by hash, gone when taken or expired. */
  addLink(hash: string, link: { account_id: string; user_id: string; expires_at: string }): Promise<void>;
  takeLink(hash: string): Promise<(SignedIn & { user_name: string }) | undefined>;
  /** Sessions of a person: one, or all but the one with this hash. Answers how many ended. */
  end(userId: string, which: { session_id: string } | { but: string | null }): Promise<number>;
  /** The person of this session has given the password just now. */
  confirm(hash: string): Promise<void>;
  switch(hash: string, account: string): Promise<void>;
  used(hash: string, person: SignedIn, at: string): Promise<void>;
}

export interface TeamWriter {
  /** Waits until nobody else changes who may do what in the account, and keeps others from it until the transaction ends. */
  lock(account: string): Promise<void>;
  /** Both throw not_found, and conflict where the last owner would go. */
  changeRole(account: string, userId: string, role: Role): Promise<{ former: Member; member: Member }>;
  remove(account: string, userId: string): Promise<Member>;
  /** Throws conflict where the person is in the account already. */
  add(account: string, userId: string, role: Role): Promise<void>;
  createAccount(name: string, owner: string): Promise<{ account_id: string; name: string }>;
  rename(account: string, name: string): Promise<{ account_id: string; name: string; former: string }>;
  invite(hash: string, invitation: NewInvitation): Promise<Invitation>;
  withdraw(account: string, invitationId: string): Promise<Invitation | undefined>;
  /** Uses an invitation up; whether it was there. */
  take(hash: string): Promise<boolean>;
  /** Throws conflict where the e-mail is somebody's already. */
  createPerson(person: { name: string; email: string }): Promise<string>;
  /** The password as it is kept, which stays so until the transaction ends; null where there is none. */
  holdPassword(userId: string): Promise<string | null>;
  /** With either, links by which a password would be chosen end. */
  setPassword(userId: string, phc: string): Promise<void>;
  clearPassword(userId: string): Promise<void>;
}

export interface SetupWriter {
  addToken(hash: string, expires_at: string): Promise<void>;
  /** Whether the token was printed; a wrong one counts, and five are the end of all. */
  tryToken(hash: string | undefined): Promise<boolean>;
  /** Notes that the server is set up; whether this was the first to do so. */
  mark(): Promise<boolean>;
  /** Names the account and person that the store began with. */
  nameFirst(names: { team: string; name: string; email: string }): Promise<void>;
}

export interface SignInLimits {
  /** Counts against a subject, which is a hash; less than none gives back. */
  count(subject: string, points: number, within: number): Promise<Counted>;
  /** Goes through those that began before this moment, ms. */
  forget(before: number): Promise<void>;
}
