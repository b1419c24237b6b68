import { z } from 'zod';

// Imported before any schema is made, as `boot.ts` does for the pages.
z.config({ jitless: true });
