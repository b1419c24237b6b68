import { personOrigin } from '../../audit/entries.ts';
import { tokenHash } from '../../auth/session.ts';
import { ApiError } from '../../context/errors.ts';
import type { Answer, RequestContext } from '../../context/request.ts';
import { readForm } from '../../http/form.ts';
import type { Desk } from './desk.ts';
import { FIELDS, parseForm, SetupForm } from './fields.ts';

const WRONG_TOKEN =
  'This is not a setup token that works. After five wrong ones, or an hour, restart the server: it prints another.';

/**
 * The first owner of a hosted server, made once with a token that the server printed; there is no
 * such page afterwards.
 */
export function createSetupPage(desk: Desk) {
  const { deps } = desk;
  const page = {
    title: 'Set up this server',
    intro: '<p>This makes the first team and its owner: you.</p>',
    action: '/setup',
    fields: [FIELDS.token, FIELDS.team, FIELDS.name, FIELDS.email, FIELDS.newPassword],
    button: 'Set up',
  };
  async function requireOpen(): Promise<void> {
    if (await deps.store.read((reader) => reader.team.isSetUp())) throw new ApiError('not_found');
  }

  return {
    async get(context: RequestContext): Promise<Answer> {
      await requireOpen();
      return desk.show(context, page);
    },

    async post(context: RequestContext): Promise<Answer> {
      await requireOpen();
      const { proof, ...given } = await readForm(context, [
        'proof',
        'token',
        'team',
        'name',
        'email',
        'password',
      ]);
      desk.proof.check(context, proof);
      const shown = { ...page, given };
      const form = await parseForm(SetupForm, given, ({ name, email, team }) => [
        name,
        email,
        team,
      ]);
      if (form.wrong !== undefined) return desk.show(context, { ...shown, wrong: form.wrong });
      const { token, team, name, email, password } = form.value;
      return desk.orSay(context, shown, async () => {
        if (
          !(await deps.store.transact((writer) =>
            writer.setupWrites.tryToken(tokenHash(token.trim())),
          ))
        ) {
          context.code = 'wrong_password';
          return desk.show(context, { ...shown, wrong: new Map([['token', WRONG_TOKEN]]) }, 403);
        }
        const people = await desk.people();
        const phc = await people.hash(password);
        const session = await deps.store.transact(async (writer) => {
          if (!(await writer.setupWrites.mark())) throw new ApiError('not_found');
          const { account_id, user_id } = deps.store.local;
          await writer.setupWrites.nameFirst({ team, name, email });
          await people.setPassword(writer, user_id, phc);
          writer.audit.by(personOrigin({ account_id, user_id, user_name: name }, null, context));
          writer.audit.add({ action: 'setup.done', object: account_id, detail: { team, name } });
          return people.begin(writer, context, { account_id, user_id, user_name: name });
        });
        return desk.enter(context, session, { email, next: '/studio' });
      });
    },
  };
}
