/** What docs/environment.md says of a setting. */
export const about = (
  part: 'Where' | 'Blobs' | 'Hosted' | 'Limits' | 'Operation',
  description: string,
) => ({ part, description });
