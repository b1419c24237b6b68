import type { CaseUid } from '../../shared/contract/ids.ts';
import { pageAddress } from '../../shared/contract/page-addresses.ts';
import { formatProfileAddress, type ProfileAddress } from '../features/cases/profile-address.ts';

export const carryPath = (caseUid: CaseUid, from: ProfileAddress, to: ProfileAddress): string =>
  `${pageAddress('carryForward', { caseUid })}?from=${formatProfileAddress(from)}&to=${formatProfileAddress(to)}`;
