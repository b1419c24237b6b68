import { writeFileSync } from 'node:fs';
import type { TestInfo } from '@playwright/test';
import type { Served } from '../../../support/served.ts';

/**
 * Keeps what the servers of a failed test logged, beside its screenshot: every request is there.
 */
export async function keepServerLogs(info: TestInfo, served: readonly Served[]): Promise<void> {
  if (info.status === info.expectedStatus) return;
  for (const [index, one] of served.entries()) {
    const file = info.outputPath(`server-${index + 1}.log`);
    writeFileSync(file, one.output());
    await info.attach(`server ${index + 1}`, { path: file, contentType: 'text/plain' });
  }
}
