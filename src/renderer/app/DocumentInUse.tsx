import type { CaseUid } from '../../shared/contract/ids.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import {
  type CaseDocument,
  DocumentSettling,
  settleCaseDocument,
} from '../../shared/contract/v1/profile-documents.ts';
import type { ContestedHead } from '../../shared/contract/v1/contested.ts';
import type { z } from 'zod';
import { profilePath, shortDigest } from '../features/profiles/versions.ts';
import { formatDateTime } from '../state/format.ts';
import { useForm } from '../state/form.ts';
import { useServices } from '../state/services.tsx';
import { useMay } from '../state/use-may.ts';
import { Button } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';
import { ReasonDialog } from '../ui/ReasonDialog.tsx';
import { SideBySide } from '../ui/SideBySide.tsx';
import { rich } from '../text/rich.ts';
import { t } from '../text/t.ts';

type DocumentEntry = CaseDocument['documents'][number];
type DocumentHead = z.output<typeof ContestedHead>;

const digestOf = ({ value }: DocumentHead): string => (value as { digest: string }).digest;

/** Who named this document for the case, and when. */
function namedBy(heads: readonly DocumentHead[], digest: string): string {
  const own = heads.filter((head) => digestOf(head) === digest);
  return own.length === 0
    ? t('nobody')
    : own.map(({ by, at }) => `${by}, ${formatDateTime(at)}`).join('; ');
}

function sentenceOf({
  state,
  profile_version: version,
  documents,
}: CaseDocument): string | undefined {
  if (state === 'contested')
    return t(
      'People recorded this matrix under different documents of version {version} without seeing each other’s. Nothing can be recorded or run here until the conflict is resolved.',
      { version },
    );
  if (state === 'undecided')
    return t(
      'Version {version} has {documents, plural, one {# document} other {# documents}}, and this matrix names none of them. Nothing can be recorded or run here until somebody decides which one it was recorded under.',
      { version, documents: documents.length },
    );
  return state === 'missing'
    ? t(
        'The document of version {version} that this matrix uses has not arrived yet. It arrives with the next sync.',
        { version },
      )
    : undefined;
}

/**
 * Which of several documents under one version a matrix uses, and where that conflict is resolved.
 */
export function DocumentInUse({
  caseUid,
  known,
  onResolved,
}: {
  caseUid: CaseUid;
  known: CaseDocument;
  onResolved: () => void;
}) {
  const [open, setOpen] = useState(false);
  const mayResolve = useMay(settleCaseDocument);
  const sentence = sentenceOf(known);
  if (sentence === undefined && known.documents.length < 2) return null;
  const inUse = known.documents.find((one) => one.digest === known.digest);
  const change = mayResolve && known.state !== 'missing' && (
    <Button size="sm" onClick={() => setOpen(true)}>
      {sentence === undefined
        ? t('Change the document…')
        : known.state === 'contested'
          ? t('Resolve the conflict…')
          : t('Choose the document…')}
    </Button>
  );
  return (
    <>
      <Notice tone={sentence === undefined ? 'info' : 'warning'} actions={change}>
        <p>
          {sentence ??
            t(
              'Version {version} of this profile has {documents, plural, one {# document} other {# documents}}.',
              { version: known.profile_version, documents: known.documents.length },
            )}
          {sentence === undefined && inUse !== undefined && (
            <>
              {' '}
              {rich('This matrix uses {document}.', {
                document: (
                  <Link to={profilePath(inUse.profileUid, inUse.version, inUse.digest)}>
                    {inUse.name} <code>{shortDigest(inUse.digest)}</code>
                  </Link>
                ),
              })}
            </>
          )}
        </p>
      </Notice>
      {open && (
        <Resolve
          key={known.heads.map(({ entry }) => entry).join(' ')}
          caseUid={caseUid}
          known={known}
          onClose={() => setOpen(false)}
          onResolved={onResolved}
        />
      )}
    </>
  );
}

const LINES: readonly (readonly [name: string, of: (entry: DocumentEntry) => string])[] = [
  [t('Name'), (entry) => entry.name],
  [t('Description'), (entry) => entry.description],
  [t('Rules'), (entry) => String(entry.rule_count)],
  [t('Maintainer'), (entry) => entry.maintainer],
  [t('Digest'), (entry) => shortDigest(entry.digest)],
];

function Resolve({
  caseUid,
  known,
  onClose,
  onResolved,
}: {
  caseUid: CaseUid;
  known: CaseDocument;
  onClose: () => void;
  onResolved: () => void;
}) {
  const { call } = useServices();
  const { documents, heads, profile_uid, profile_version } = known;
  const form = useForm({
    initial: { digest: '', reason: '' },
    schema: DocumentSettling,
    toInput: ({ digest, reason }) => ({
      profile_uid,
      profile_version,
      digest,
      heads: heads.map(({ entry }) => entry),
      reason: reason.trim(),
    }),
    submit: async (body) => {
      await call(settleCaseDocument, { params: { caseUid }, body });
      onClose();
      onResolved();
    },
    placeFailure: (failure) => {
      if (failure.code === 'conflict') onResolved();
      return undefined;
    },
  });
  const lines = LINES.map(([name, of]) => ({
    name,
    cells: documents.map(of),
    differs: new Set(documents.map(of)).size > 1,
  }));
  return (
    <ReasonDialog
      wide
      title={t('Document of version {version}', { version: profile_version })}
      description={t(
        'Recorded outcomes stay as they are; they are read and run under the rules of the document that you choose, here and on every computer that shares the case.',
      )}
      action={t('Resolve')}
      form={form}
      reason={form.values.reason}
      onReason={(reason) => form.set('reason', reason)}
      hint={t('Stored in the history of the case and in the audit trail.')}
      isIncomplete={form.values.digest === ''}
      onClose={onClose}
    >
      <SideBySide
        values={documents.map((entry, at) => ({
          key: entry.digest,
          name: `${entry.name}, ${shortDigest(entry.digest)}`,
          heading:
            entry.digest === known.digest
              ? t('shown now')
              : t('Document {position}', { position: at + 1 }),
        }))}
        lines={[
          ...lines,
          {
            name: t('Named for this case by'),
            cells: documents.map((entry) => namedBy(heads, entry.digest)),
          },
        ]}
        group="digest"
        taken={form.values.digest}
        onTake={(digest) => form.set('digest', digest)}
      />
    </ReasonDialog>
  );
}
