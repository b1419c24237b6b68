import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Session } from '../../../shared/contract/v1/account.ts';
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

export function Members({ me }: { me: Session['user'] }) {
  const members = useCalled('members', listMembers);
  const [inviting, setInviting] = useState(false);
  const mayInvite = useMay(createInvitation);
  return (
    <Section
      title="Members"
      note={
        mayInvite
          ? 'Who works in this account, and in which role.'
          : 'Who works in this account. Its owners invite and change members.'
      }
      actions={
        mayInvite ? (
          <Button
            variant="primary"
            icon={<UserPlus size={15} aria-hidden="true" />}
            onClick={() => setInviting(true)}
          >
            Invite
          </Button>
        ) : undefined
      }
    >
      <Loaded query={members} what="members" lines={3}>
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
        caption="Members"
        head={
          <tr>
            <th scope="col">Name</th>
            <th scope="col">E-mail</th>
            <th scope="col">Role</th>
            <th scope="col">Joined</th>
            <th scope="col">Last seen</th>
            {mayChange && (
              <th scope="col">
                <span className="visually-hidden">Actions</span>
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
                  <Badge>you</Badge>
                </>
              )}
            </th>
            <td>{member.email ?? '–'}</td>
            <td>{ROLE_NAME[member.role]}</td>
            <td className="nowrap num">{formatDate(member.joined_at)}</td>
            <td className="nowrap num">
              {member.user_id === me.user_id
                ? 'now'
                : member.last_seen_at === null
                  ? '–'
                  : formatDateTime(member.last_seen_at)}
            </td>
            {mayChange && (
              <td className="n nowrap">
                {member.role === 'owner' && owners === 1 ? (
                  <span className="muted">the only owner stays</span>
                ) : (
                  <span className="actions">
                    <Button
                      size="sm"
                      onClick={() => setChanging(member)}
                      aria-label={`Change the role of ${member.name}`}
                    >
                      Change role
                    </Button>
                    <Button
                      size="sm"
                      onClick={() => setRemoving(member)}
                      aria-label={`Remove ${member.name}`}
                    >
                      Remove
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

function Invitations({ invitations }: { invitations: readonly Invitation[] }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  return (
    <Table
      caption="Open invitations"
      showCaption
      head={
        <tr>
          <th scope="col">For</th>
          <th scope="col">Role</th>
          <th scope="col">Made by</th>
          <th scope="col">Made</th>
          <th scope="col">Ends</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      }
    >
      {invitations.map((invitation) => {
        const { invitation_id, name, role, created_by, created_at, expires_at } = invitation;
        const whose = name ?? `a ${ROLE_NAME[role].toLowerCase()}`;
        return (
          <tr key={invitation_id}>
            <th scope="row">{name ?? '–'}</th>
            <td>{ROLE_NAME[role]}</td>
            <td>{created_by ?? 'the server’s operator'}</td>
            <td className="nowrap num">{formatDate(created_at)}</td>
            <td className="nowrap num">{formatDateTime(expires_at)}</td>
            <td className="n">
              <Button
                size="sm"
                busy={busy}
                aria-label={`Withdraw the invitation for ${whose}`}
                onClick={() =>
                  void act(
                    () => call(withdrawInvitation, { params: { invitationId: invitation_id } }),
                    {
                      changes: ['members'],
                      done: `The invitation for ${whose} is withdrawn.`,
                      failed: 'The invitation was not withdrawn',
                    },
                  )
                }
              >
                Withdraw
              </Button>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
