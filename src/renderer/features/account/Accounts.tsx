import { useState } from 'react';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import type { Session } from '../../../shared/contract/v1/account.ts';
import { createAccount, renameAccount, switchAccount } from '../../../shared/contract/v1/team.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { PasswordAgainField, placePassword, usePasswordAgain } from './password-again.tsx';
import { ROLE_NAME } from './roles.ts';
import { useAct } from './use-act.ts';
import { t } from '../../text/t.ts';

/** A person may work in several accounts; one of them is open in this browser. */
export function Accounts({ session }: { session: Session }) {
  const { call, library } = useServices();
  const { busy, act } = useAct();
  const mayRename = useMay(renameAccount);
  const [naming, setNaming] = useState<'new' | 'rename' | null>(null);
  const open = async (account: Session['account']) => {
    const doing = async () => {
      await call(switchAccount, { body: { account_id: account.account_id } });
      await library.session();
    };
    // The page is loaded again, so that nothing of the previous account is left on it.
    if (
      await act(doing, {
        changes: [],
        done: t('“{name}” is open.', { name: account.name }),
        failed: t('The account was not opened'),
      })
    )
      window.location.assign(STUDIO_PAGES.projects);
  };
  return (
    <Section
      title={t('Accounts')}
      note={
        <>
          {t(
            'An account has its own projects, profiles, members and keys. One of yours is open in this browser at a time.',
          )}
          {session.server.operator_only.accounts &&
            ` ${t('Whoever runs this server creates new ones.')}`}
        </>
      }
      actions={
        <>
          {mayRename && <Button onClick={() => setNaming('rename')}>{t('Rename')}</Button>}
          {!session.server.operator_only.accounts && (
            <Button onClick={() => setNaming('new')}>{t('New account')}</Button>
          )}
        </>
      }
    >
      <Table
        caption={t('Accounts')}
        head={
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('You are')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('Actions')}</span>
            </th>
          </tr>
        }
      >
        {session.accounts.map((account) => (
          <tr key={account.account_id}>
            <th scope="row">{account.name}</th>
            <td>{ROLE_NAME[account.role]}</td>
            <td className="n">
              {account.account_id === session.account.account_id ? (
                <Badge tone="accent">{t('open')}</Badge>
              ) : (
                <Button
                  size="sm"
                  busy={busy}
                  aria-label={t('Open {name}', { name: account.name })}
                  onClick={() => void open(account)}
                >
                  {t('Open')}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {naming === 'new' && <NewAccount onClose={() => setNaming(null)} onCreated={open} />}
      {naming === 'rename' && (
        <RenameAccount name={session.account.name} onClose={() => setNaming(null)} />
      )}
    </Section>
  );
}

function NewAccount({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (account: Session['account']) => Promise<void>;
}) {
  const { call } = useServices();
  const again = usePasswordAgain();
  const form = useForm({
    initial: { name: '', password: '' },
    schema: createAccount.body!,
    toInput: ({ name }) => ({ name }),
    submit: async (body) => onCreated(await again.guard(() => call(createAccount, { body }))),
    placeFailure: placePassword,
  });
  return (
    <FormDialog title={t('New account')} action={t('Create account')} form={form} onClose={onClose}>
      <TextField
        name="name"
        label={t('Name')}
        hint={t('You become its owner, and it opens at once.')}
        required
        autoComplete="off"
        value={form.values.name}
        onValue={(value) => form.set('name', value)}
        error={form.errors['name']}
      />
      <PasswordAgainField again={again} form={form} />
    </FormDialog>
  );
}

function RenameAccount({ name, onClose }: { name: string; onClose: () => void }) {
  const { call, queries } = useServices();
  const form = useForm({
    initial: { name },
    schema: renameAccount.body!,
    toInput: (values) => values,
    submit: async (body) => {
      await call(renameAccount, { body });
      for (const key of ['session', 'usage']) queries.invalidate(key);
      onClose();
    },
  });
  return (
    <FormDialog title={t('Rename the account')} action={t('Rename')} form={form} onClose={onClose}>
      <TextField
        name="name"
        label={t('Name')}
        required
        autoComplete="off"
        value={form.values.name}
        onValue={(value) => form.set('name', value)}
        error={form.errors['name']}
      />
    </FormDialog>
  );
}
