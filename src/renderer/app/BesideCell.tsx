import { useCallback } from 'react';
import type { CaseUid } from '../../shared/contract/ids.ts';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import { CellDiscussion } from '../features/discussion/CellDiscussion.tsx';
import { useDebounced } from '../state/use-debounced.ts';

interface CellBeside {
  item: string;
  rule: string;
}

/** Asked for once the focus stays: nobody reads the discussion of every cell that they pass. */
function Settled({
  caseUid,
  profile,
  cell,
}: {
  caseUid: CaseUid;
  profile: ProfileAddress;
  cell: CellBeside;
}) {
  const settled = useDebounced(cell);
  const isSettled = settled.item === cell.item && settled.rule === cell.rule;
  return isSettled ? (
    <CellDiscussion
      key={`${cell.rule}/${cell.item}`}
      caseUid={caseUid}
      profile={profile}
      cell={cell}
    />
  ) : null;
}

/** What stands below the evidence of a cell in the matrix's panel. */
export function useBesideCell(caseUid: CaseUid, profile: ProfileAddress) {
  const { uid, version } = profile;
  return useCallback(
    (cell: CellBeside) => <Settled caseUid={caseUid} profile={{ uid, version }} cell={cell} />,
    [caseUid, uid, version],
  );
}
