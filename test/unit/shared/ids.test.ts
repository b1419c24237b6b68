import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Reader } from '../../../src/server/storage/repositories.ts';
import {
  AccountId,
  type CaseUid,
  type KeyId,
  type ProfileUid,
  type ProjectId,
  type RunUid,
  type StreamName,
  type UserId,
} from '../../../src/shared/contract/ids.ts';

describe('the id of an account', () => {
  test('is what the server gave', () => {
    expect(AccountId.safeParse('acc_0123456789').success).toBe(true);
    expect(AccountId.safeParse('usr_0123456789').success).toBe(false);
  });

  test('is no plain text', () => {
    expectTypeOf<string>().not.toExtend<AccountId>();
    expectTypeOf<AccountId>().toExtend<string>();
  });

  test('is refused where a log, a case, a project, a person, a key, a run or a profile is meant', () => {
    expectTypeOf<Parameters<Reader['log']['position']>[0]>().toEqualTypeOf<AccountId>();
    expectTypeOf<AccountId>().not.toExtend<Parameters<Reader['log']['position']>[1]>();
    expectTypeOf<AccountId>().not.toExtend<Parameters<Reader['cases']['get']>[1]>();
    expectTypeOf<AccountId>().not.toExtend<StreamName>();
    expectTypeOf<AccountId>().not.toExtend<CaseUid>();
    expectTypeOf<AccountId>().not.toExtend<ProjectId>();
    expectTypeOf<AccountId>().not.toExtend<UserId>();
    expectTypeOf<AccountId>().not.toExtend<KeyId>();
    expectTypeOf<AccountId>().not.toExtend<RunUid>();
    expectTypeOf<AccountId>().not.toExtend<ProfileUid>();
  });
});

describe('a name of one kind', () => {
  test('is refused where another kind is meant', () => {
    expectTypeOf<StreamName>().not.toExtend<ProjectId>();
    expectTypeOf<UserId>().not.toExtend<KeyId>();
    expectTypeOf<RunUid>().not.toExtend<CaseUid>();
    expectTypeOf<ProfileUid>().not.toExtend<StreamName>();
  });

  test('may be plain text, and that of a case is that of its log', () => {
    expectTypeOf<string>().toExtend<StreamName>();
    expectTypeOf<CaseUid>().toExtend<StreamName>();
  });
});
