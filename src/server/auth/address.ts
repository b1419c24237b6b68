/** One subject for an IPv6 network: its hosts change addresses at will. */
export function subjectOf(address: string): string {
  return address.includes(':') && !address.startsWith('::') ? address.split(':').slice(0, 4).join(':') : address;
}
