import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Role, Session } from '../../../shared/contract/v1/account.ts';
import {
  changeMember,
  createInvitation,
  listMembers,
  type Member,
  withdrawInvitation,
  type Invitation,
} from '../../../shared/contract/v1/team.ts';
import { formatDate, formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { RemoveDialog, RoleDialog } from './MemberDialogs.tsx';
import { ROLE_NAME } from './roles.ts';
import { useAct } from './use-act.ts';
import { useCalled } from './use-called.ts';
import { t } from '../../text/t.ts';

export function Members({ me }: { me: Session['user'] }) {
  const members = useCalled('members', listMembers);
  const [inviting, setInviting] = useState(false);
  const mayInvite = useMay(createInvitation);
  return (
    <Section
      title={t('Members')}
      note={
        mayInvite
          ? t('Who works in this account, and in which role.')
          : t('Who works in this account. Its owners invite and change members.')
      }
      actions={
        mayInvite ? (
          <Button
            variant="primary"
            icon={<UserPlus size={15} aria-hidden="true" />}
            onClick={() => setInviting(true)}
          >
            {t('Invite')}
          </Button>
        ) : undefined
      }
    >
      <Loaded query={members} what={t('members')} lines={3}>
        {(loaded) => (
          <>
            <MembersTable members={loaded.members} me={me} />
            {loaded.invitations.length > 0 && <Invitations invitations={loaded.invitations} />}
          </>
        )}
      </Loaded>
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Section>
  );
}

function MembersTable({ members, me }: { members: readonly Member[]; me: Session['user'] }) {
  const [changing, setChanging] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const mayChange = useMay(changeMember);
  const owners = members.filter(({ role }) => role === 'owner').length;
  return (
    <>
      <Table
        caption={t('Members')}
        head={
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('E-mail')}</th>
            <th scope="col">{t('Role')}</th>
            <th scope="col">{t('Joined')}</th>
            <th scope="col">{t('Last seen')}</th>
            {mayChange && (
              <th scope="col">
                <span className="visually-hidden">{t('Actions')}</span>
              </th>
            )}
          </tr>
        }
      >
        {members.map((member) => (
          <tr key={member.user_id}>
            <th scope="row">
              {member.name}
              {member.user_id === me.user_id && (
                <>
                  {' '}
                  <Badge>{t('you')}</Badge>
                </>
              )}
            </th>
            <td>{member.email ?? '–'}</td>
            <td>{ROLE_NAME[member.role]}</td>
            <td className="nowrap num">{formatDate(member.joined_at)}</td>
            <td className="nowrap num">
              {member.user_id === me.user_id
                ? t('now')
                : member.last_seen_at === null
                  ? '–'
                  : formatDateTime(member.last_seen_at)}
            </td>
            {mayChange && (
              <td className="n nowrap">
                {member.role === 'owner' && owners === 1 ? (
                  <span className="muted">{t('the only owner stays')}</span>
                ) : (
                  <span className="actions">
                    <Button
                      size="sm"
                      onClick={() => setChanging(member)}
                      aria-label={t('Change the role of {name}', { name: member.name })}
                    >
                      {t('Change role')}
                    </Button>
                    <Button
                      size="sm"
                      onClick={() => setRemoving(member)}
                      aria-label={t('Remove {name}', { name: member.name })}
                    >
                      {t('Remove')}
                    </Button>
                  </span>
                )}
              </td>
            )}
          </tr>
        ))}
      </Table>
      {changing !== null && <RoleDialog member={changing} onClose={() => setChanging(null)} />}
      {removing !== null && (
        <RemoveDialog
          member={removing}
          isMe={removing.user_id === me.user_id}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

const invitationWords = (name: string | null, role: Role) =>
  name === null
    ? {
        withdraw: t(
          'Withdraw the invitation for {role, select, owner {an owner} viewer {a viewer} other {a member}}',
          { role },
        ),
        withdrawn: t(
          'The invitation for {role, select, owner {an owner} viewer {a viewer} other {a member}} is withdrawn.',
          { role },
        ),
      }
    : {
        withdraw: t('Withdraw the invitation for {name}', { name }),
        withdrawn: t('The invitation for {name} is withdrawn.', { name }),
      };

function Invitations({ invitations }: { invitations: readonly Invitation[] }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  return (
    <Table
      caption={t('Open invitations')}
      showCaption
      head={
        <tr>
          <th scope="col">{t('For')}</th>
          <th scope="col">{t('Role')}</th>
          <th scope="col">{t('Made by')}</th>
          <th scope="col">{t('Made')}</th>
          <th scope="col">{t('Ends')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      }
    >
      {invitations.map((invitation) => {
        const { invitation_id, name, role, created_by, created_at, expires_at } = invitation;
        const words = invitationWords(name, role);
        return (
          <tr key={invitation_id}>
            <th scope="row">{name ?? '–'}</th>
            <td>{ROLE_NAME[role]}</td>
            <td>{created_by ?? t('the server’s operator')}</td>
            <td className="nowrap num">{formatDate(created_at)}</td>
            <td className="nowrap num">{formatDateTime(expires_at)}</td>
            <td className="n">
              <Button
                size="sm"
                busy={busy}
                aria-label={words.withdraw}
                onClick={() =>
                  void act(
                    () => call(withdrawInvitation, { params: { invitationId: invitation_id } }),
                    {
                      changes: ['members'],
                      done: words.withdrawn,
                      failed: t('The invitation was not withdrawn'),
                    },
                  )
                }
              >
                {t('Withdraw')}
              </Button>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
