import { useState } from 'react';
import { useNavigate } from 'react-router';
import { createProfile } from '../../../../shared/contract/v1/profiles.ts';
import type { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { describeFailure, type ShownFailure } from '../../../state/failure.ts';
import { useServices } from '../../../state/services.tsx';
import { useStillHere } from '../../../state/use-still-here.ts';
import { useToast } from '../../../ui/Toast.tsx';
import { profilePath } from '../versions.ts';
import { readProfile, type ReadProfile } from './read-file.ts';
import { t } from '../../../text/t.ts';

/** What became of a profile that was sent. */
export type SentProfile =
  | { kind: 'there' | 'conflict'; document: ProfileDocument }
  | { kind: 'failed'; failure: ShownFailure };

async function readChosen(file: File): Promise<ReadProfile> {
  try {
    return readProfile(new Uint8Array(await file.arrayBuffer()));
  } catch {
    return { kind: 'unreadable', message: t('The file could not be read from the disk.') };
  }
}

function sentWith(failure: ShownFailure, document: ProfileDocument): SentProfile {
  if (failure.code === 'precondition_failed') return { kind: 'there', document };
  return failure.code === 'version_conflict'
    ? { kind: 'conflict', document }
    : { kind: 'failed', failure };
}

/** The chosen file, and its way to the server. */
export function useImport() {
  const { call, queries } = useServices();
  const navigate = useNavigate();
  const begin = useStillHere();
  const toast = useToast();
  const [file, setFile] = useState<{ name: string; read: ReadProfile }>();
  const [sent, setSent] = useState<SentProfile>();
  const [busy, setBusy] = useState(false);
  const take = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    setSent(undefined);
    setFile({ name: chosen.name, read: await readChosen(chosen) });
  };
  const send = async (document: ProfileDocument): Promise<void> => {
    const isHere = begin();
    setBusy(true);
    try {
      await call(createProfile, { body: document, headers: { 'if-none-match': '*' } });
      queries.invalidate('profile');
      toast({
        title: t('{name} {version} is imported', {
          name: document.name,
          version: document.version,
        }),
      });
      if (isHere()) void navigate(profilePath(document.profileUid, document.version));
    } catch (error) {
      setSent(sentWith(describeFailure(error), document));
    } finally {
      setBusy(false);
    }
  };
  return {
    file,
    sent,
    busy,
    take: (chosen: File | undefined) => void take(chosen),
    send: (document: ProfileDocument) => void send(document),
  };
}
