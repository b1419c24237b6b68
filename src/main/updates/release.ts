import { compareVersions } from '../../shared/domain/version.ts';

/** The version of a release: three numbers. */
export const RELEASE = /^\d{1,6}(?:\.\d{1,6}){2}$/;

/** Whether `offered` is newer (1), older (-1) or the same. What is before a release is older. */
export function compareToRelease(offered: string, current: string): number {
  const [release = current, ...before] = current.split('-');
  const order = Math.sign(compareVersions(offered, release));
  return order === 0 && before.length > 0 ? 1 : order;
}
