import { useCallback, useEffect, useRef, useState } from 'react';
import { createProfile } from '../../../../shared/contract/v1/profiles.ts';
import { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { describeFailure, type ShownFailure } from '../../../state/failure.ts';
import { useServices } from '../../../state/services.tsx';
import { useToast } from '../../../ui/Toast.tsx';
import { documentOf, type ProfileDraft } from './draft.ts';
import { problemAt, type Problem } from './draft-problems.ts';
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

/**
 * Publishes the draft once; without a server it asks again until there is one, the draft changes,
 * or the page is left.
 */
export function usePublish(draft: ProfileDraft, onPublished: (document: ProfileDocument) => void) {
  const { call, queries } = useServices();
  const toast = useToast();
  const [state, setState] = useState<PublishState>(IDLE);
  const [refused, setRefused] = useState<readonly Problem[]>([]);
  const latest = useRef({ draft, onPublished });
  useEffect(() => {
    latest.current = { draft, onPublished };
  });

  const send = useCallback(async () => {
    const sent = latest.current.draft;
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
      latest.current.onPublished(document);
    } catch (error) {
      const failure = describeFailure(error);
      const placed = problemsIn(failure, document, sent);
      setRefused(placed);
      if (failure.code === 'version_conflict') queries.invalidate('profile');
      setState(stateAfter(failure, placed));
      if (placed.length > 0)
        requestAnimationFrame(() => window.document.getElementById('problems')?.focus());
    }
  }, [call, queries, toast]);

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
