import { z } from 'zod';

// Must run before any schema is made: zod would otherwise probe `new Function`, which the strict
// content policy reports as a violation. The pages' code comes by import(), because the bundler may
// evaluate static imports before this line.
z.config({ jitless: true });
void import('./main.tsx');
