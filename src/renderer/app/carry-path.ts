import { formatProfileAddress, type ProfileAddress } from '../features/cases/profile-address.ts';

export const carryPath = (caseUid: string, from: ProfileAddress, to: ProfileAddress): string =>
  `/studio/cases/${encodeURIComponent(caseUid)}/carry-forward?from=${formatProfileAddress(from)}&to=${formatProfileAddress(to)}`;
