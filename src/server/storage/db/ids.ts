import type { AccountId, ProjectId, RunUid, UserId } from '../../../shared/contract/ids.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

interface IdPorts {
  clock: { now(): number };
  random: { bytes(length: number): Uint8Array };
}

/** What is named by an identifier of each prefix. */
interface MintedIds {
  acc_: AccountId;
  inv_: string;
  itm_: string;
  ntc_: string;
  prj_: ProjectId;
  run_: RunUid;
  ses_: string;
  sto_: string;
  sub_: string;
  txn_: string;
  usr_: UserId;
}

/**
 * An identifier: `prefix` and 26 base32 characters, 48 bits of time followed by 80 random bits.
 * Sorting the text sorts by time of creation.
 */
export function sortableId<P extends keyof MintedIds>(prefix: P, ports: IdPorts): MintedIds[P] {
  let time = ports.clock.now();
  let head = '';
  for (let place = 0; place < 10; place += 1) {
    head = (ALPHABET[time % 32] as string) + head;
    time = Math.floor(time / 32);
  }
  let tail = '';
  for (const byte of ports.random.bytes(16)) tail += ALPHABET[byte & 31] as string;
  return (prefix + head + tail) as MintedIds[P];
}

export function randomHex(bytes: number, ports: IdPorts): string {
  return Buffer.from(ports.random.bytes(bytes)).toString('hex');
}
