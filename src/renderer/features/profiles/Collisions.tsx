import { useState } from 'react';
import { Link } from 'react-router';
import {
  CollisionDecision,
  decideProfileCollision,
  type ProfileCollision,
} from '../../../shared/contract/v1/profile-documents.ts';

import { useForm } from '../../state/form.ts';
import { mapQuery, useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { Table } from '../../ui/Table.tsx';
import { profilePath, shortDigest } from './versions.ts';
import { t, tAs } from '../../text/t.ts';

type DecisionKind = CollisionDecision['decision'];

const KINDS: Record<ProfileCollision['kind'], string> = {
  shipped_name: t('Has the name of a profile that comes with the studio'),
  name_of_another: t('Has a name that another account published first'),
  several_documents: t('Its version has other documents'),
};
const DECIDED: Record<NonNullable<ProfileCollision['decision']>, string> = {
  keep: t('kept beside it'),
  hide: t('hidden from lists'),
  take: t('is the version'),
  other: t('another document is the version'),
};
const ACTS: Record<DecisionKind, { button: string; title: string; says: string }> = {
  keep: {
    button: t('Keep'),
    title: t('Keep the document'),
    says: t('It stays in the list, set aside. The name means what it means without it.'),
  },
  hide: {
    button: t('Hide'),
    title: t('Hide the document'),
    says: t('It leaves the list. Cases that use it keep it, and it is still read by its digest.'),
  },
  take: {
    button: t('This is the version'),
    title: t('Decide which document is the version'),
    says: t(
      'New matrices under this version use this document, on every computer that shares it. Cases that name another document keep that.',
    ),
  },
};

const actsOf = ({ kind, decision }: ProfileCollision): DecisionKind[] =>
  (kind === 'several_documents' ? (['take'] as const) : (['keep', 'hide'] as const)).filter(
    (act) => act !== decision,
  );

/** Documents that need an owner's decision, open ones first; hidden where all are decided. */
export function Collisions() {
  const collisions = mapQuery(
    useQuery('profiles-collisions', (library) => library.collisions()),
    ({ data }) => data,
  );
  const mayDecide = useMay(decideProfileCollision);
  const [asked, setAsked] = useState<{ collision: ProfileCollision; act: DecisionKind }>();
  const found = (collisions.data ?? []).toSorted(
    (a, b) => Number(a.decision !== null) - Number(b.decision !== null),
  );
  if (found.length === 0) return null;
  const open = found.filter((one) => one.decision === null && one.own).length;
  return (
    <Section
      title={t('Documents that need a decision')}
      note={
        open === 0
          ? t('Everything here is decided. No decision changes a case that uses one of them.')
          : t(
              '{open, plural, one {# document} other {# documents}} to decide about. No decision changes a case that uses one of them.',
              { open },
            )
      }
    >
      <Table
        caption={t('Documents that need a decision')}
        head={
          <tr>
            <th scope="col">{t('Document')}</th>
            <th scope="col">{t('Why')}</th>
            <th scope="col" className="n">
              {t('Cases')}
            </th>
            <th scope="col">{t('Decision')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('Actions')}</span>
            </th>
          </tr>
        }
      >
        {found.map((one) => (
          <tr key={`${one.kind} ${one.digest} ${one.profileUid}@${one.version}`}>
            <th scope="row">
              <Link to={profilePath(one.profileUid, one.version, one.digest)}>
                {one.name} {one.version}
              </Link>
              <span className="row-note">
                <code>{one.profileUid}</code> <code>{shortDigest(one.digest)}</code>
              </span>
            </th>
            <td>
              {KINDS[one.kind]}
              {!one.own && `; ${t('published by another account')}`}
            </td>
            <td className="n">{one.cases}</td>
            <td>
              {one.decision === null ? (
                <span className="muted">{tAs('undecided', 'open')}</span>
              ) : (
                DECIDED[one.decision]
              )}
            </td>
            <td>
              {mayDecide && one.own && (
                <div className="actions">
                  {actsOf(one).map((act) => (
                    <Button
                      key={act}
                      size="sm"
                      aria-label={`${ACTS[act].button}: ${one.name} ${one.version}, ${shortDigest(one.digest)}`}
                      onClick={() => setAsked({ collision: one, act })}
                    >
                      {ACTS[act].button}
                    </Button>
                  ))}
                </div>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {asked !== undefined && (
        <Decide
          key={`${asked.act} ${asked.collision.digest}`}
          {...asked}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Section>
  );
}

function Decide({
  collision,
  act,
  onClose,
}: {
  collision: ProfileCollision;
  act: DecisionKind;
  onClose: () => void;
}) {
  const { call, queries } = useServices();
  const { profileUid: profile_uid, version: profile_version, digest } = collision;
  const form = useForm({
    initial: { reason: '' },
    schema: CollisionDecision,
    toInput: ({ reason }) => ({
      profile_uid,
      profile_version,
      digest,
      decision: act,
      reason: reason.trim(),
    }),
    submit: async (body) => {
      await call(decideProfileCollision, { body });
      queries.invalidate('profile');
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={ACTS[act].title}
      description={`${collision.name} ${profile_version}, ${shortDigest(digest)}. ${ACTS[act].says}`}
      action={ACTS[act].button}
      form={form}
      reason={form.values.reason}
      onReason={(reason) => form.set('reason', reason)}
      hint={t('Stored in the audit trail.')}
      onClose={onClose}
    />
  );
}
