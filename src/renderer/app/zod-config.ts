import { z } from 'zod';

// Before any schema is made: zod would otherwise probe `new Function`, which the strict content policy reports as a violation.
z.config({ jitless: true });
