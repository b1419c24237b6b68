export interface ProfileAddress {
  uid: string;
  version: string;
}

/** `?profile=uid@version`, or undefined where it is absent or malformed. */
export function parseProfileAddress(text: string | null): ProfileAddress | undefined {
  const match = /^([a-z][a-z0-9_]{2,95})@([0-9]+\.[0-9]+(?:\.[0-9]+)?)$/.exec(text ?? '');
  return match === null ? undefined : { uid: match[1] as string, version: match[2] as string };
}

export function formatProfileAddress({ uid, version }: ProfileAddress): string {
  return `${uid}@${version}`;
}
