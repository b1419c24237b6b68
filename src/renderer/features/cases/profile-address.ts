import { ProfileUid } from '../../../shared/domain/uid.ts';

export interface ProfileAddress {
  uid: ProfileUid;
  version: string;
}

/** `?profile=uid@version`, or undefined where it is absent or malformed. */
export function parseProfileAddress(text: string | null): ProfileAddress | undefined {
  const [, name, version] = /^([^@]*)@([0-9]+\.[0-9]+(?:\.[0-9]+)?)$/.exec(text ?? '') ?? [];
  const uid = ProfileUid.safeParse(name).data;
  return uid === undefined || version === undefined ? undefined : { uid, version };
}

export function formatProfileAddress({ uid, version }: ProfileAddress): string {
  return `${uid}@${version}`;
}
