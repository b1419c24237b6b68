import { known, type UserId } from '../../shared/contract/ids.ts';
import { createAdapterFactory } from 'better-auth/adapters';
import type { PersonRow } from '../storage/accounts/people.ts';
import type { Reader, Writer } from '../storage/repositories.ts';

/** How the library's reads and writes reach the store, and how a session begins. */
export interface PeopleRows {
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  write<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  /**
   * Answers the session's name, the hash of its token. The library never sees the token. `compared`
   * is the stored password that the given one was compared with.
   */
  begin(writer: Writer, userId: UserId, compared: string | null): Promise<string>;
}

interface RowQuery {
  model: string;
  where?: readonly { field: string; operator: string; value: unknown }[];
}

function unknownTo(verb: string, { model, where = [] }: RowQuery): TypeError {
  return new TypeError(
    `The store has no way to ${verb} a ${model} by ${where.map(({ field }) => field).join(', ')}.`,
  );
}

const refuse =
  (verb: string) =>
  (asked: RowQuery): Promise<never> =>
    Promise.reject(unknownTo(verb, asked));

/** The value that a field is compared with. */
function equal({ where = [] }: RowQuery, name: string): string | undefined {
  const found = where.find(({ field, operator }) => field === name && operator === 'eq');
  return typeof found?.value === 'string' ? found.value : undefined;
}

const word = (value: unknown): string => (typeof value === 'string' ? value : '');
const person = (value: unknown): UserId => known.userId.parse(word(value));

function userOf(person: PersonRow | undefined): object | null {
  return person === undefined
    ? null
    : { id: person.user_id, name: person.name, email: person.email, username: person.email };
}

/** The one sign-in account that a person has: the password. Single sign-on would add others. */
function accountOf(person: PersonRow | undefined): object | null {
  return person === undefined || person.password === null
    ? null
    : {
        id: person.user_id,
        userId: person.user_id,
        accountId: person.user_id,
        providerId: 'credential',
        password: person.password,
      };
}

/**
 * Better Auth's users, accounts and sessions on the store's tables. A query that the library does
 * not make today is refused rather than guessed at.
 */
export function createRows(rows: PeopleRows): ReturnType<typeof createAdapterFactory> {
  let compared: string | null = null;
  async function find(asked: RowQuery): Promise<object | null> {
    const [email, id, of] = [equal(asked, 'username'), equal(asked, 'id'), equal(asked, 'userId')];
    if (asked.model === 'user' && email !== undefined)
      return userOf(await rows.read((reader) => reader.team.personByEmail(email)));
    if (asked.model === 'user' && id !== undefined)
      return userOf(await rows.read((reader) => reader.team.person(person(id))));
    if (
      asked.model === 'account' &&
      of !== undefined &&
      equal(asked, 'providerId') === 'credential'
    ) {
      const found = await rows.read((reader) => reader.team.person(person(of)));
      compared = found?.password ?? null;
      return accountOf(found);
    }
    throw unknownTo('find', asked);
  }

  async function add(
    writer: Writer,
    { model, data }: { model: string; data: Record<string, unknown> },
  ): Promise<string> {
    switch (model) {
      case 'user':
        return writer.teamWrites.createPerson({ name: word(data.name), email: word(data.email) });
      case 'account':
        await writer.teamWrites.setPassword(person(data.userId), word(data.password));
        return word(data.userId);
      case 'session':
        return rows.begin(writer, person(data.userId), compared);
      default:
        throw unknownTo('add', { model });
    }
  }

  return createAdapterFactory({
    config: { adapterId: 'evidence-studio', disableIdGeneration: true },
    adapter: () => ({
      findOne: async <T>(asked: RowQuery) => (await find(asked)) as T | null,
      async create<T extends Record<string, unknown>>({ model, data }: { model: string; data: T }) {
        const id = await rows.write((writer) => add(writer, { model, data }));
        return { ...data, id, ...(model === 'session' && { token: id }) };
      },
      async updateMany(asked) {
        const [of, password] = [equal(asked, 'userId'), asked.update.password as unknown];
        if (asked.model !== 'account' || of === undefined || typeof password !== 'string')
          throw unknownTo('change', asked);
        await rows.write((writer) => writer.teamWrites.setPassword(person(of), password));
        return 1;
      },
      findMany: refuse('list'),
      count: refuse('count'),
      update: refuse('change'),
      delete: refuse('remove'),
      deleteMany: refuse('remove'),
    }),
  });
}
