import { z } from 'zod';

// Before any schema is made: zod would otherwise probe `new Function`, which the strict content policy reports as a violation. Static imports of the
// pages' code could be evaluated before this line once the bundler cuts chunks; an import() cannot.
z.config({ jitless: true });
void import('../main.tsx');
