import type { z } from 'zod';
import { SERVER_PAGES, STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { personOrigin } from '../../audit/entries.ts';
import { tokenHash } from '../../auth/session.ts';
import { ApiError } from '../../context/errors.ts';
import type { HttpAnswer, RequestContext } from '../../context/request.ts';
import { readForm } from '../../http/form.ts';
import { FIELDS, parseForm, SetupForm } from './fields.ts';
import type { SignInPages } from './sign-in-pages.ts';

const WRONG_TOKEN =
  'This is not a setup token that works. After five wrong ones, or an hour, restart the server: it prints another.';

const PAGE = {
  title: 'Set up this server',
  about: 'This makes the first team and its owner: you.',
  action: SERVER_PAGES.setup,
  fields: [FIELDS.token, FIELDS.team, FIELDS.name, FIELDS.email, FIELDS.newPassword],
  button: 'Set up',
};

/** Makes the first team and its owner; answers the token of the owner's session. */
async function setUp(
  { deps: { store }, people: loadPeople }: SignInPages,
  context: RequestContext,
  { team, name, email, password }: z.output<typeof SetupForm>,
): Promise<string> {
  const people = await loadPeople();
  const phc = await people.hash(password);
  return store.transact(async (writer) => {
    if (!(await writer.setupWrites.mark())) throw new ApiError('not_found');
    const { account_id, user_id } = store.local;
    await writer.setupWrites.nameFirst({ team, name, email });
    await people.setPassword(writer, user_id, phc);
    writer.audit.by(personOrigin({ account_id, user_id, user_name: name }, null, context));
    writer.audit.add({ action: 'setup.done', object: account_id, detail: { team, name } });
    return people.begin(writer, context, { account_id, user_id, user_name: name });
  });
}

/**
 * The first owner of a hosted server, made once with a token that the server printed; there is no
 * such page afterwards.
 */
export function createSetupPage(pages: SignInPages) {
  const { store } = pages.deps;
  async function requireOpen(): Promise<void> {
    if (await store.read((reader) => reader.team.isSetUp())) throw new ApiError('not_found');
  }

  return {
    async get(context: RequestContext): Promise<HttpAnswer> {
      await requireOpen();
      return pages.show(context, PAGE);
    },

    async post(context: RequestContext): Promise<HttpAnswer> {
      await requireOpen();
      const { proof, ...given } = await readForm(context, [
        'proof',
        'token',
        'team',
        'name',
        'email',
        'password',
      ]);
      pages.proof.check(context, proof);
      const shown = { ...PAGE, given };
      const form = await parseForm(SetupForm, given, ({ name, email, team }) => [
        name,
        email,
        team,
      ]);
      if (form.wrong !== undefined) return pages.show(context, { ...shown, wrong: form.wrong });
      const { token, email } = form.value;
      return pages.showErrors(context, shown, async () => {
        const hash = tokenHash(token.trim());
        if (!(await store.transact((writer) => writer.setupWrites.tryToken(hash)))) {
          context.code = 'wrong_password';
          return pages.show(context, { ...shown, wrong: new Map([['token', WRONG_TOKEN]]) }, 403);
        }
        const session = await setUp(pages, context, form.value);
        return pages.redirectSignedIn(context, session, { email, next: STUDIO_PAGES.projects });
      });
    },
  };
}
