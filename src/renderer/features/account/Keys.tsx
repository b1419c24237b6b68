import { Plus } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import {
  letKeySync,
  revokeKey,
  type ApiKey,
  type Session,
} from '../../../shared/contract/v1/account.ts';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { useForm } from '../../state/form.ts';
import { formatDate, formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { KeyDialog, type KeyFor } from './KeyDialog.tsx';
import { KeyLimitActions, LimitWords } from './KeyLimits.tsx';
import { keyState, orderKeys } from './key-state.ts';
import { mayWords } from './key-words.ts';
import { PasswordAgainField, placePassword, usePasswordAgain } from './password-again.tsx';
import { useAct } from './use-act.ts';
import { rich } from '../../text/rich.ts';
import { t } from '../../text/t.ts';

const TONE = { active: 'accent', paused: 'warning', expired: 'warning', revoked: 'plain' } as const;
const STATE_WORDS = {
  active: t('active'),
  paused: t('paused'),
  expired: t('expired'),
  revoked: t('revoked'),
};

interface KeysProps {
  keys: readonly ApiKey[];
  serverUrl: string | undefined;
  me: Session['user'] | undefined;
  /** An account of several people, whose owners are shown everybody's keys. */
  isTeam: boolean;
}

export function Keys({ keys, serverUrl, me, isTeam }: KeysProps) {
  const { clock } = useServices();
  const [creating, setCreating] = useState<KeyFor | null>(null);
  const [letting, setLetting] = useState<ApiKey | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const create = (
    <>
      <ButtonLink to={STUDIO_PAGES.agents}>{t('Connect an agent')}</ButtonLink>
      <Button onClick={() => setCreating('studio')}>{t('Connect a studio')}</Button>
      <Button
        variant="primary"
        icon={<Plus size={15} aria-hidden="true" />}
        onClick={() => setCreating('program')}
      >
        {t('Create key')}
      </Button>
    </>
  );
  const notes = [
    t(
      "A key lets a program read or write this account's evidence. Each belongs to one program; revoke it when the program is retired.",
    ),
    ...(isTeam
      ? [
          me?.role === 'owner'
            ? t('An owner sees the keys of all members.')
            : t('Shown are your own.'),
        ]
      : []),
  ];
  return (
    <Section
      title={t('API keys')}
      actions={keys.length > 0 ? create : undefined}
      note={notes.join(' ')}
    >
      {keys.length === 0 ? (
        <EmptyState title={t('No keys yet')} actions={create}>
          <p>
            {isTeam
              ? t(
                  'Agents and scripts of this account need a key to reach the studio. It is shown once, when it is created.',
                )
              : t(
                  'Agents and scripts on this machine need a key to reach the studio. It is shown once, when it is created.',
                )}
          </p>
        </EmptyState>
      ) : (
        <KeysTable
          keys={orderKeys(keys, clock.now())}
          now={clock.now()}
          showsWhose={isTeam && me?.role === 'owner'}
          onRevoke={setRevoking}
          onLet={setLetting}
        />
      )}
      {creating !== null && (
        <KeyDialog
          keyFor={creating}
          serverUrl={serverUrl}
          role={me?.role}
          onClose={() => setCreating(null)}
        />
      )}
      {letting !== null && <LetDialog apiKey={letting} onClose={() => setLetting(null)} />}
      {revoking !== null && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

interface KeysTableProps {
  keys: readonly ApiKey[];
  now: number;
  showsWhose: boolean;
  onRevoke: (key: ApiKey) => void;
  onLet: (key: ApiKey) => void;
}

function KeysTable({ keys, now, showsWhose, onRevoke, onLet }: KeysTableProps) {
  return (
    <Table
      caption={t('API keys')}
      head={
        <tr>
          <th scope="col">{t('Name')}</th>
          {showsWhose && <th scope="col">{t('Whose')}</th>}
          <th scope="col">{t('Begins with')}</th>
          <th scope="col">{t('May')}</th>
          <th scope="col">{t('Created')}</th>
          <th scope="col">{t('Last used')}</th>
          <th scope="col">{t('Expires')}</th>
          <th scope="col">{t('State')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      }
    >
      {keys.map((key) => {
        const state = keyState(key, now);
        return (
          <tr key={key.key_id} data-off={state === 'active' ? undefined : ''}>
            <th scope="row">{key.name}</th>
            {showsWhose && <td>{key.user.name}</td>}
            <td>
              <code>{key.prefix}</code>
            </td>
            <td className="nowrap">
              {mayWords(key)}
              <LimitWords limits={key.limits} now={now} />
            </td>
            <td className="nowrap num">{formatDate(key.created_at)}</td>
            <td className="nowrap num">
              {key.last_used_at === null ? t('never') : formatDateTime(key.last_used_at)}
            </td>
            <td className="nowrap num">
              {key.expires_at === null ? t('never') : formatDate(key.expires_at)}
            </td>
            <td className="nowrap">
              <Badge tone={TONE[state]}>{STATE_WORDS[state]}</Badge>
              {key.revoked_at !== null && (
                <span className="num"> {formatDate(key.revoked_at)}</span>
              )}
            </td>
            <td className="n">
              <span className="actions row-actions">
                {(state === 'active' || state === 'paused') && !key.scopes.includes('sync') && (
                  <KeyLimitActions apiKey={key} />
                )}
                {state === 'active' &&
                  key.scopes.includes('write') &&
                  !key.scopes.includes('sync') && (
                    <Button
                      size="sm"
                      variant="ghost"
                      onClick={() => onLet(key)}
                      aria-label={t('Let {name} act as a studio’s', { name: key.name })}
                    >
                      {t('A studio’s')}
                    </Button>
                  )}
                {state !== 'revoked' && (
                  <Button
                    size="sm"
                    onClick={() => onRevoke(key)}
                    aria-label={t('Revoke {name}', { name: key.name })}
                  >
                    {t('Revoke')}
                  </Button>
                )}
              </span>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

/** For a studio of version 0.1, which was connected by a program's key. */
function LetDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { call, queries } = useServices();
  const again = usePasswordAgain();
  const form = useForm({
    initial: { password: '' },
    schema: z.strictObject({}),
    toInput: () => ({}),
    submit: async () => {
      await again.guard(() => call(letKeySync, { params: { keyId: apiKey.key_id } }));
      queries.invalidate('usage');
      onClose();
    },
    placeFailure: placePassword,
  });
  return (
    <FormDialog
      title={t('Let "{name}" act as a studio’s?', { name: apiKey.name })}
      action={t('Let it act as a studio’s')}
      form={form}
      onClose={onClose}
    >
      <p>
        {rich(
          'Only if {key} is the key by which a studio on another computer is connected. It may then send what others recorded there, remove and bring back; histories name the key as the sender. This is recorded in the audit trail.',
          { key: <code>{apiKey.prefix}</code> },
        )}
      </p>
      <PasswordAgainField again={again} form={form} />
    </FormDialog>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  const revoke = async () => {
    const isRevoked = await act(() => call(revokeKey, { params: { keyId: apiKey.key_id } }), {
      changes: ['usage'],
      done: t('Key "{name}" is revoked.', { name: apiKey.name }),
      failed: t('The key was not revoked'),
    });
    if (isRevoked) onClose();
  };
  return (
    <Confirm
      onClose={onClose}
      title={t('Revoke "{name}"?', { name: apiKey.name })}
      action={t('Revoke key')}
      busy={busy}
      onConfirm={() => void revoke()}
    >
      <p>
        {rich(
          'Every program that uses {key} is refused from its next request on. This cannot be undone; what the key wrote stays.',
          { key: <code>{apiKey.prefix}</code> },
        )}
      </p>
    </Confirm>
  );
}
