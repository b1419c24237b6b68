import { Plus } from 'lucide-react';
import { useState } from 'react';
import { revokeKey, type ApiKey, type Session } from '../../../shared/contract/v1/account.ts';
import { formatDate, formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { KeyDialog } from './KeyDialog.tsx';
import { keyState, orderKeys } from './key-state.ts';
import { useAct } from './use-act.ts';

const TONE = { active: 'accent', expired: 'warning', revoked: 'plain' } as const;

interface KeysProps {
  keys: readonly ApiKey[];
  serverUrl: string | undefined;
  me: Session['user'] | undefined;
  /** An account of several people, whose owners are shown everybody's keys. */
  isTeam: boolean;
}

export function Keys({ keys, serverUrl, me, isTeam }: KeysProps) {
  const { clock } = useServices();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const create = <Button variant="primary" icon={<Plus size={15} aria-hidden="true" />} onClick={() => setCreating(true)}>Create key</Button>;
  const whose = !isTeam ? '' : me?.role === 'owner' ? ' An owner sees the keys of all members.' : ' Shown are your own.';
  return (
    <Section title="API keys" actions={keys.length > 0 ? create : undefined} note={`A key lets a program read or write this account's evidence. Each belongs to one program; revoke it when the program is retired.${whose}`}>
      {keys.length === 0
        ? <EmptyState title="No keys yet" actions={create}><p>{isTeam ? 'Agents and scripts of your team' : 'Agents and scripts on this machine'} need a key to reach the studio. It is shown once, when it is created.</p></EmptyState>
        : <KeysTable keys={orderKeys(keys, clock.now())} now={clock.now()} showsWhose={isTeam && me?.role === 'owner'} onRevoke={setRevoking} />}
      {creating && <KeyDialog serverUrl={serverUrl} role={me?.role} onClose={() => setCreating(false)} />}
      {revoking !== null && <RevokeDialog apiKey={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

function KeysTable({ keys, now, showsWhose, onRevoke }: { keys: readonly ApiKey[]; now: number; showsWhose: boolean; onRevoke: (key: ApiKey) => void }) {
  return (
    <Table caption="API keys" head={<tr><th scope="col">Name</th>{showsWhose && <th scope="col">Whose</th>}<th scope="col">Begins with</th><th scope="col">May</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col">Expires</th><th scope="col">State</th><th scope="col"><span className="visually-hidden">Actions</span></th></tr>}>
      {keys.map((key) => {
        const state = keyState(key, now);
        return (
          <tr key={key.key_id} data-off={state === 'active' ? undefined : ''}>
            <th scope="row">{key.name}</th>
            {showsWhose && <td>{key.user.name}</td>}
            <td><code>{key.prefix}</code></td>
            <td className="nowrap">{key.scopes.join(' and ')}</td>
            <td className="nowrap num">{formatDate(key.created_at)}</td>
            <td className="nowrap num">{key.last_used_at === null ? 'never' : formatDateTime(key.last_used_at)}</td>
            <td className="nowrap num">{key.expires_at === null ? 'never' : formatDate(key.expires_at)}</td>
            <td className="nowrap"><Badge tone={TONE[state]}>{state}</Badge>{key.revoked_at !== null && <span className="num"> {formatDate(key.revoked_at)}</span>}</td>
            <td className="n">{state !== 'revoked' && <Button size="sm" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.name}`}>Revoke</Button>}</td>
          </tr>
        );
      })}
    </Table>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  const revoke = async () => {
    const isRevoked = await act(() => call(revokeKey, { params: { keyId: apiKey.key_id } }), { changes: ['usage'], done: `Key "${apiKey.name}" is revoked.`, failed: 'The key was not revoked' });
    if (isRevoked) onClose();
  };
  return (
    <Confirm open onOpenChange={onClose} title={`Revoke "${apiKey.name}"?`} action="Revoke key" busy={busy} onConfirm={() => void revoke()}>
      <p>Every program that uses <code>{apiKey.prefix}</code> is refused from its next request on. This cannot be undone; what the key wrote stays.</p>
    </Confirm>
  );
}
