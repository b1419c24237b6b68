import { expect, test } from 'vitest';
import { AccountId } from '../../../src/shared/contract/ids.ts';

// What the compiler says of ids is in ids.test-d.ts.

test('the id of an account is what the server gave', () => {
  expect(AccountId.safeParse('acc_0123456789').success).toBe(true);
  expect(AccountId.safeParse('usr_0123456789').success).toBe(false);
});
