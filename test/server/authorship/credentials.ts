import type { Scope } from '../../../src/shared/contract/v1/account.ts';
import type { Author } from '../../../src/sync/change.ts';
import { callInProcess } from '../../support/in-process.ts';
import type { Json } from '../../support/json.ts';
import type { Credentials, Person, World } from '../isolation/world.ts';
import { asKey, asUser } from '../../support/ids.ts';

export interface Called {
  status: number;
  body: Json;
}

/**
 * One way to call the server, and by the specification, stated here once more: whose changes it may
 * bring and what of them it may do.
 */
export interface Way {
  name: string;
  call(method: string, path: string, body?: unknown): Promise<Called>;
  /** What a change says that is this caller's own. */
  own: readonly Author[];
  who: { user_id: string; key_id: string | null };
  maySend: boolean;
  relays: boolean;
  removes: boolean;
  /** Whether it may bring a person's decision: as that person, or as their studio. */
  decides: boolean;
}

const PUSHES: ReadonlySet<Scope> = new Set(['write', 'sync']);
const SCOPES: readonly (readonly Scope[])[] = [
  ['read'],
  ['suggest'],
  ['read', 'suggest'],
  ['write'],
  ['delete'],
  ['read', 'write'],
  ['read', 'write', 'suggest'],
  ['write', 'delete'],
  ['sync'],
  ['read', 'write', 'sync'],
];

export async function waysInto(world: World): Promise<Way[]> {
  const { server } = world;
  const { store } = server.deps;
  const names = new Map(
    (
      await store.read(
        (reader) => reader.team.members(world.owner.account_id),
        world.owner.account_id,
      )
    ).map(({ user_id, name }) => [user_id, name]),
  );
  const via =
    (who: Credentials): Way['call'] =>
    async (method, path, body) => {
      // A minute is enough to be let in again after many requests.
      server.advance(60_000);
      return world.call(method, path, who, body);
    };
  const humans = (user: string): Author[] => [
    { user: asUser(user), kind: 'human', agent: null, key: null },
    {
      user: asUser(user),
      kind: 'import',
      agent: null,
      key: null,
      name: names.get(asUser(user)) ?? 'Stranger',
    },
  ];
  const ways: Way[] = [];

  for (const role of ['owner', 'member', 'viewer'] as const) {
    const person = world[role];
    ways.push({
      name: `session of the ${role}`,
      call: via(await world.session(person)),
      own: humans(person.user_id),
      who: { user_id: person.user_id, key_id: null },
      maySend: role !== 'viewer',
      relays: false,
      removes: true,
      decides: true,
    });
  }
  ways.push({
    name: 'window',
    call: (method, path, body) =>
      callInProcess(server.server, method, path, body === undefined ? {} : { body }),
    own: humans(store.local.user_id),
    who: { user_id: store.local.user_id, key_id: null },
    maySend: true,
    relays: false,
    removes: true,
    decides: true,
  });

  async function key(person: Person, scopes: readonly Scope[], revoked = false): Promise<void> {
    const name = `${scopes.join('+')} of the ${person.role}`;
    const made = await world.key(person, { scopes: [...scopes], name });
    if (revoked)
      await store.transact(
        (writer) => writer.keyWrites.revoke(person.account_id, asKey(made.key_id)),
        person.account_id,
      );
    const { user_id } = person;
    const bare: Author = { user: user_id, kind: 'agent', agent: name, key: asKey(made.key_id) };
    ways.push({
      name: `${revoked ? 'revoked key' : 'key'} ${name}`,
      call: via({ key: made.key }),
      own: [bare, { ...bare, name: names.get(user_id) ?? 'Stranger' }],
      who: { user_id, key_id: made.key_id },
      maySend: !revoked && person.role !== 'viewer' && scopes.some((scope) => PUSHES.has(scope)),
      relays: scopes.includes('sync'),
      removes: scopes.includes('delete') || scopes.includes('sync'),
      decides: scopes.includes('sync'),
    });
  }
  for (const scopes of SCOPES) await key(world.member, scopes);
  await key(world.owner, ['read', 'write', 'delete']);
  await key(world.viewer, ['sync']);
  await key(world.viewer, ['read', 'write', 'delete']);
  await key(world.member, ['sync'], true);
  await key(world.member, ['read', 'write'], true);
  return ways;
}
