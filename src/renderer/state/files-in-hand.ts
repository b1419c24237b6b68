import { create } from 'zustand';
import type { CaseUid } from '../../shared/contract/ids.ts';

/** Files that are to be imported, while the case for them is chosen and opened. */
interface FilesInHand {
  files: readonly File[] | undefined;
  /** Undefined while it is asked which case they are for. */
  caseUid: CaseUid | undefined;
}

const NOTHING: FilesInHand = { files: undefined, caseUid: undefined };

export const useFilesInHand = create<FilesInHand>()(() => NOTHING);

export const holdFiles = (files: readonly File[], caseUid?: CaseUid): void =>
  useFilesInHand.setState({ files, caseUid });

export const dropFiles = (): void => useFilesInHand.setState(NOTHING);

/** Those for this case, once. */
export function takeFiles(of: CaseUid): readonly File[] | undefined {
  const { files, caseUid } = useFilesInHand.getState();
  if (caseUid !== of) return undefined;
  dropFiles();
  return files;
}
