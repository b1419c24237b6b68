import type { Catalogue } from '../t.ts';
import account from './account.json' with { type: 'json' };
import app from './app.json' with { type: 'json' };
import common from './common.json' with { type: 'json' };
import discussion from './discussion.json' with { type: 'json' };
import matrix from './matrix.json' with { type: 'json' };
import profiles from './profiles.json' with { type: 'json' };
import results from './results.json' with { type: 'json' };
import rounds from './rounds.json' with { type: 'json' };
import shared from './shared.json' with { type: 'json' };
import suggestions from './suggestions.json' with { type: 'json' };
import signOff from './sign-off.json' with { type: 'json' };
import sync from './sync.json' with { type: 'json' };
import transfer from './transfer.json' with { type: 'json' };

export const catalogue: Catalogue = {
  ...shared,
  ...common,
  ...app,
  ...matrix,
  ...results,
  ...transfer,
  ...account,
  ...profiles,
  ...suggestions,
  ...rounds,
  ...signOff,
  ...discussion,
  ...sync,
};
/** What is wrong with a form's field, where its schema has no words of its own. */
export { default as schemaWords } from 'zod/v4/locales/de.js';
