import { z } from 'zod';
import { loadTexts } from './text/load.ts';

// Must run before any schema is made: zod would otherwise probe `new Function`, which the strict
// content policy reports as a violation. The pages' code comes by import(), because the bundler may
// evaluate static imports before this line; and its texts have to be there before it.
z.config({ jitless: true });
void loadTexts().then(() => import('./main.tsx'));
