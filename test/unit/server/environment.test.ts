import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENVIRONMENT_PAGE, environmentPage } from '../../../scripts/environment-page.ts';
import { Environment } from '../../../src/server/config/environment.ts';
import { readConfig } from '../../../src/server/config/config.ts';

test('docs/environment.md says what the schema reads; node scripts/environment-page.ts writes it', () => {
  const page = readFileSync(ENVIRONMENT_PAGE, 'utf8');
  expect(page).toBe(environmentPage());
  for (const name of Object.keys(Environment.shape)) expect(page).toContain(`| \`${name}\` |`);
});

test('a name of ours that is misspelt is refused', () => {
  expect(() => readConfig({ EVIDENCE_STUDIO_PROT: '1' })).toThrow(
    'EVIDENCE_STUDIO_PROT is not known',
  );
  expect(() => readConfig({ DATABASE_URI: 'x' })).not.toThrow();
});
