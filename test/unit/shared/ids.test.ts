import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Reader } from '../../../src/server/storage/repositories.ts';
import { AccountId } from '../../../src/shared/contract/ids.ts';

describe('the id of an account', () => {
  test('is what the server gave', () => {
    expect(AccountId.safeParse('acc_0123456789').success).toBe(true);
    expect(AccountId.safeParse('usr_0123456789').success).toBe(false);
  });

  test('is no plain text', () => {
    expectTypeOf<string>().not.toExtend<AccountId>();
    expectTypeOf<AccountId>().toExtend<string>();
  });

  test('is named first where a log is read, and is no log', () => {
    type Position = Parameters<Reader['log']['position']>;
    expectTypeOf<Position[0]>().toEqualTypeOf<AccountId>();
    expectTypeOf<string>().not.toExtend<Position[0]>();
  });
});
