import type { UserId } from '../../../shared/contract/ids.ts';
import type { Principal } from '../../context/principal.ts';
import { SERVER_PAGES } from '../../../shared/contract/page-addresses.ts';
import type { OpenInvitation } from '../../storage/accounts/invitations.ts';
import { escapeHtml, plainPage } from '../layout.ts';
import { loginPathTo } from '../next.ts';
import type { Speech } from '../text/speech.ts';
import { FIELDS } from './fields.ts';
import { JOIN_SCRIPT_PATH } from './join-script.ts';

export const gonePage = ({ language, say }: Speech): string =>
  plainPage(
    say('Link not valid'),
    `<main>
<h1>${say('This link cannot be used')}</h1>
<p>${say('It works once, and for a limited time. Ask whoever gave it to you for another.')}</p>
<p>${say('You joined with it already?')} <a href="${SERVER_PAGES.login}">${say('Sign in')}</a></p>
</main>`,
    { language },
  );
const INVITED = {
  owner: 'You are invited as an owner, who also invites and changes members.',
  member: 'You are invited as a member, who records evidence and freezes runs.',
  viewer: 'You are invited as a viewer, who reads and changes nothing.',
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
function passwordPage({ account_name, email }: OpenInvitation, user_id: UserId, { say }: Speech) {
  const place = escapeHtml(account_name);
  return {
    ...COMMON,
    kind: 'password' as const,
    user_id,
    title: 'Choose a password',
    intro: `<p>${
      email === null
        ? say('For you, in {account}.', { account: place })
        : say('For {email}, in {account}.', { email: escapeHtml(email), account: place })
    } ${say('Every browser that is signed in with the previous one is signed out.')}</p>`,
    fields: [FIELDS.newPassword],
    button: 'Keep this password',
  };
}

/** For an invitation, to somebody who is signed in or to somebody new. */
function invitationPage(
  { account_name, role }: OpenInvitation,
  person: Principal | undefined,
  { say }: Speech,
) {
  const title = say('Join {account}', { account: account_name });
  const common = { ...COMMON, title, button: 'Join' };
  const intro = `<p>${say(INVITED[role])}</p>`;
  if (person !== undefined)
    return {
      ...common,
      kind: 'person' as const,
      person,
      intro: `${intro}\n<p>${say('You are signed in as {name}.', { name: escapeHtml(person.actor.user_name) })}</p>`,
      fields: [],
    };
  return {
    ...common,
    kind: 'new' as const,
    intro,
    outro: `<p><a href="${loginPathTo(SERVER_PAGES.join)}">${say('I can sign in here already')}</a></p>`,
    fields: [FIELDS.name, FIELDS.email, FIELDS.newPassword],
  };
}

/** What the target of a link shows; `person`: who is signed in in this browser. */
export function pageOf(invitation: OpenInvitation, person: Principal | undefined, speech: Speech) {
  return invitation.user_id === null
    ? invitationPage(invitation, person, speech)
    : passwordPage(invitation, invitation.user_id, speech);
}
