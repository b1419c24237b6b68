import { useCallback, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { createProfile } from '../../../../shared/contract/v1/profiles.ts';
import { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { describeFailure, type ShownFailure } from '../../../state/failure.ts';
import { useServices } from '../../../state/services.tsx';
import { useStillHere } from '../../../state/use-still-here.ts';
import { useToast } from '../../../ui/Toast.tsx';
import { profilePath } from '../versions.ts';
import { documentOf, type ProfileDraft } from './draft.ts';
import { problemAt, type Problem } from './draft-problems.ts';
import { draftStore } from './use-drafts.ts';
import { t, tOf } from '../../../text/t.ts';

export type PublishState =
  | { kind: 'idle' | 'sending' | 'waiting' }
  | { kind: 'failed'; failure: ShownFailure };

const IDLE: PublishState = { kind: 'idle' };
const AGAIN_MS = 5_000;

/** A JSON Pointer of a refusal as a path. */
const pathOf = (pointer: string): string[] => pointer.split('/').slice(1);

/** What the server refused, each at its field. */
function problemsIn(
  failure: ShownFailure,
  document: ProfileDocument,
  sent: ProfileDraft,
): Problem[] {
  if (failure.code === 'version_conflict') {
    const message = t(
      'Version {version} of {profileUid} is published already with other content. Choose a higher version.',
      { version: document.version, profileUid: document.profileUid },
    );
    return [problemAt(['version'], message, sent)];
  }
  return failure.details
    .filter(({ path }) => path.startsWith('/'))
    .map(({ path, message }) => problemAt(pathOf(path), tOf(message), sent));
}

function stateAfter(failure: ShownFailure, placed: readonly Problem[]): PublishState {
  if (failure.kind === 'offline') return { kind: 'waiting' };
  return placed.length > 0 ? IDLE : { kind: 'failed', failure };
}

/** Sends again after a while, and as soon as the network is back. */
function useRetry(waits: boolean, send: () => Promise<void>): void {
  useEffect(() => {
    if (!waits) return undefined;
    const again = (): void => void send();
    const timer = setTimeout(again, AGAIN_MS);
    window.addEventListener('online', again);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', again);
    };
  }, [waits, send]);
}

const storedText = (id: string): string | undefined => JSON.stringify(draftStore.get(id));

/**
 * Publishes the draft once, and leads to what it has become; without a server it asks again until
 * there is one, the draft changes, or the page is left. What is written while it is on its way stays
 * as a draft.
 */
export function usePublish(draft: ProfileDraft) {
  const { call, queries } = useServices();
  const navigate = useNavigate();
  const begin = useStillHere();
  const toast = useToast();
  const [state, setState] = useState<PublishState>(IDLE);
  const [refused, setRefused] = useState<readonly Problem[]>([]);
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });

  const send = useCallback(async () => {
    const isHere = begin();
    const sent = latest.current;
    const before = storedText(sent.id);
    const document = ProfileDocument.parse(documentOf(sent));
    setState({ kind: 'sending' });
    try {
      await call(createProfile, { body: document });
      queries.invalidate('profile');
      toast({
        title: t('{name} {version} is published', {
          name: document.name,
          version: document.version,
        }),
      });
      setState(IDLE);
      if (storedText(sent.id) !== before) return;
      draftStore.remove(sent.id);
      if (isHere())
        void navigate(profilePath(document.profileUid, document.version), { replace: true });
    } catch (error) {
      const failure = describeFailure(error);
      const placed = problemsIn(failure, document, sent);
      setRefused(placed);
      if (failure.code === 'version_conflict') queries.invalidate('profile');
      setState(stateAfter(failure, placed));
      if (placed.length > 0)
        requestAnimationFrame(() => window.document.getElementById('problems')?.focus());
    }
  }, [call, queries, navigate, begin, toast]);

  useRetry(state.kind === 'waiting', send);

  const writing = `${draft.changedAt} ${draft.version}`;
  const [asked, setAsked] = useState(writing);
  if (writing !== asked) {
    // What was refused or waits is another text than the draft.
    setAsked(writing);
    setRefused([]);
    if (state.kind === 'waiting' || state.kind === 'failed') setState(IDLE);
  }
  return {
    state,
    refused,
    send: () => void send(),
    retry: () => void send(),
    stop: () => setState(IDLE),
  };
}
