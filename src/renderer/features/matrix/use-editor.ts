import { createContext, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { SaveStatus } from '../../data/port.ts';
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

/** False where the copy can only be read. */
export const useMayWrite = (): boolean => useSaveStatus().access.may === 'write';

/** The session replaces the object with every change of it. */
export function useSaveStatus(): SaveStatus {
  const { session } = useEditor();
  return useSyncExternalStore((listener) => session.subscribeSaveStatus(listener), () => session.saveStatus);
}
