import type { UserId } from '../../../shared/contract/ids.ts';
import type { Principal } from '../../context/principal.ts';
import { SERVER_PAGES } from '../../../shared/contract/page-addresses.ts';
import type { OpenInvitation } from '../../storage/accounts/invitations.ts';
import { escapeHtml, plainPage } from '../layout.ts';
import { loginPathTo } from '../next.ts';
import { FIELDS } from './fields.ts';
import { JOIN_SCRIPT_PATH } from './join-script.ts';

export const GONE = plainPage(
  'Link not valid',
  `<main>
<h1>This link cannot be used</h1>
<p>It works once, and for a limited time. Ask whoever gave it to you for another.</p>
<p>You joined with it already? <a href="${SERVER_PAGES.login}">Sign in</a></p>
</main>`,
);
const ROLE_WORDS = {
  owner: 'an owner, who also invites and changes members',
  member: 'a member, who records evidence and freezes runs',
  viewer: 'a viewer, who reads and changes nothing',
} as const;

/**
 * Where a script reads the token out of the address and sends it; without scripts a person does.
 */
export const START = {
  title: 'Open an invitation',
  action: SERVER_PAGES.join,
  fields: [FIELDS.invitation],
  button: 'Open',
  script: JOIN_SCRIPT_PATH,
};

const COMMON = { action: SERVER_PAGES.join, script: JOIN_SCRIPT_PATH } as const;

/** For a link by which its person chooses another password. */
function passwordPage({ account_name, email }: OpenInvitation, user_id: UserId) {
  return {
    ...COMMON,
    kind: 'password' as const,
    user_id,
    title: 'Choose a password',
    intro:
      `<p>For ${escapeHtml(email ?? 'you')}, in ${escapeHtml(account_name)}. ` +
      'Every browser that is signed in with the previous one is signed out.</p>',
    fields: [FIELDS.newPassword],
    button: 'Keep this password',
  };
}

/** For an invitation, to somebody who is signed in or to somebody new. */
function invitationPage({ account_name, role }: OpenInvitation, person: Principal | undefined) {
  const common = { ...COMMON, title: `Join ${account_name}`, button: 'Join' };
  const intro = `<p>You are invited as ${ROLE_WORDS[role]}.</p>`;
  if (person !== undefined)
    return {
      ...common,
      kind: 'person' as const,
      person,
      intro: `${intro}\n<p>You are signed in as ${escapeHtml(person.actor.user_name)}.</p>`,
      fields: [],
    };
  return {
    ...common,
    kind: 'new' as const,
    intro,
    outro: `<p><a href="${loginPathTo(SERVER_PAGES.join)}">I can sign in here already</a></p>`,
    fields: [FIELDS.name, FIELDS.email, FIELDS.newPassword],
  };
}

/** What the target of a link shows; `person`: who is signed in in this browser. */
export function pageOf(invitation: OpenInvitation, person: Principal | undefined) {
  return invitation.user_id === null
    ? invitationPage(invitation, person)
    : passwordPage(invitation, invitation.user_id);
}
