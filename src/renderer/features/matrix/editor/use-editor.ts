import { createContext, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { SaveStatus } from '../../../data/store/port.ts';
import type { SyncStatus } from '../../../state/sync-status.ts';
import { type EditorAction, isOffered, offersWriting } from './action.ts';
import type { Editor } from './editor.ts';
import type { EditorState } from './editor-state.ts';

const EditorContext = createContext<Editor | null>(null);
export const EditorProvider = EditorContext;

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (editor === null) throw new Error('A part of the matrix editor was drawn outside it.');
  return editor;
}

export function useEditorState<T>(selector: (state: EditorState) => T): T {
  return useStore(useEditor().store, selector);
}

/** Draws again with every visible change of the evidence. */
export function useRevision(): number {
  const { session } = useEditor();
  return useSyncExternalStore(session.subscribe, () => session.revision);
}

/**
 * One fact of the save status; a part that asks for one is drawn again only when that one changes.
 */
function useSaveFact<T>(read: (status: SaveStatus) => T): T {
  const { session } = useEditor();
  return useSyncExternalStore(
    (listener) => session.subscribeSaveStatus(listener),
    () => read(session.saveStatus),
  );
}

/** The session replaces the object with every change of it. */
export const useSaveStatus = (): SaveStatus => useSaveFact((status) => status);

/** Whether the server could be asked last. */
export const useIsOnline = (): boolean => useSaveFact(({ connection }) => connection === 'online');

/** False where the copy can only be read. */
export const useMayWrite = (): boolean => useSaveFact(({ access }) => access.may === 'write');

/** False for a viewer, to whom no means of changing anything are shown. */
export const useOffersWriting = (): boolean => useSaveFact(offersWriting);

/** Drawn again when there is a first item, or none is left. */
export function useHasItems(): boolean {
  const { session } = useEditor();
  return useSyncExternalStore(session.subscribe, () => session.items.length > 0);
}

/** Whether a command can be given now. */
export function useOffered(action: EditorAction): boolean {
  const editor = useEditor();
  return useSyncExternalStore(
    (listener) => {
      const stop = [
        editor.session.subscribe(listener),
        editor.session.subscribeSaveStatus(listener),
        editor.store.subscribe(listener),
      ];
      return () => {
        for (const end of stop) end();
      };
    },
    () => isOffered(action, editor),
  );
}

const SyncStatusContext = createContext<SyncStatus | null>(null);
export const SyncStatusProvider = SyncStatusContext;

/** Where the work stands, for the few parts that say it. */
export function useSyncStatus(): SyncStatus {
  const status = useContext(SyncStatusContext);
  if (status === null)
    throw new Error('The sync status was asked for outside the frame of the editor.');
  return status;
}
