/**
 * Compares version numbers; negative where `a` is older. The parts are compared as numbers, so that
 * 1.10 comes after 1.9; if one version continues the other, the longer is newer.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [x, y] = [BigInt(left[index] ?? 0), BigInt(right[index] ?? 0)];
    if (x !== y) return x < y ? -1 : 1;
  }
  return left.length - right.length;
}
