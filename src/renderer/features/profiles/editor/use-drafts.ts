import { pageAddress } from '../../../../shared/contract/page-addresses.ts';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useNavigate } from 'react-router';
import { useServices } from '../../../state/services.tsx';
import type { DraftChange } from './change-draft.ts';
import { isUntouched, type ProfileDraft } from './draft.ts';
import { createDraftStore } from './draft-store.ts';

export const draftStore = createDraftStore(() => window.localStorage, window);

const DAY_MS = 86_400_000;

export const draftPath = (id: string): string => pageAddress('profileDraft', { draftId: id });

export function useDrafts() {
  const revision = useSyncExternalStore(draftStore.subscribe, () => draftStore.revision);
  // oxlint-disable-next-line react/exhaustive-deps -- the revision changes with what is stored
  return useMemo(() => draftStore.list(), [revision]);
}

/** Opens the editor on a new draft. */
export function useStartDraft() {
  const navigate = useNavigate();
  const { newId, clock } = useServices();
  return useCallback(
    (make: (birth: { id: string; now: number }) => ProfileDraft) => {
      const draft = make({ id: newId(), now: clock.now() });
      draftStore.sweep(draft.createdAt - DAY_MS);
      const kept = draftStore.put(draft);
      void navigate(draftPath(draft.id), { state: kept ? null : { draft } });
    },
    [navigate, newId, clock],
  );
}

export interface OpenDraft {
  draft: ProfileDraft;
  change: (change: DraftChange) => void;
  /** False where the last change could not be kept on this computer. */
  kept: boolean;
}

/** A draft as it is on this computer; another window's changes come in as they are made. */
export function useDraft(first: ProfileDraft): OpenDraft {
  const { clock } = useServices();
  const [unkept, setUnkept] = useState<ProfileDraft>();
  // What this page showed last: it stays when another window publishes or discards the draft.
  const [last, setLast] = useState(first);
  const stored = useSyncExternalStore(draftStore.subscribe, () => draftStore.revision);
  // oxlint-disable-next-line react/exhaustive-deps -- the revision changes with what is stored
  const kept = useMemo(() => draftStore.get(first.id), [first.id, stored]);
  const draft = unkept ?? kept ?? last;
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  const change = useCallback(
    (act: DraftChange) => {
      const from = latest.current;
      const now = clock.now();
      const next = {
        ...act(from),
        changedAt: isUntouched(from) && now <= from.createdAt ? from.createdAt + 1 : now,
      };
      latest.current = next;
      setLast(next);
      setUnkept(draftStore.put(next) ? undefined : next);
    },
    [clock],
  );
  return { draft, change, kept: unkept === undefined };
}
