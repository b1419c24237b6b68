import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ENGINES } from '../support/length.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';
import { openReader, type Reader } from '../support/presence-line.ts';
import { TRIO } from '../support/evidence.ts';
import { CASE, Play } from './rounds/play.ts';

/** So long that whoever was to be told something would have been. */
const SOON = { timeout: 60_000, interval: 50 };

describe.each(ENGINES)('who has a case open, on %s', (engine) => {
  let play: Play;
  let name: Record<'owner' | 'member' | 'viewer', string>;
  const open: Reader[] = [];
  beforeAll(async () => {
    play = await Play.begin(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined, ['one']);
    const { world } = play;
    const nameOf = async (headers: Record<string, string>): Promise<string> =>
      (await world.call('GET', '/api/v1/session', { headers })).body.user.name as string;
    name = {
      owner: await nameOf(play.opener.headers!),
      member: await nameOf(play.first.headers!),
      viewer: await nameOf(play.others['a viewer']!.headers!),
    };
  }, 60_000);
  afterEach(() => {
    for (const reader of open.splice(0)) reader.leave();
  });
  afterAll(() => play[Symbol.asyncDispose]());

  const reading = async (
    who: { key?: string | null; headers?: Record<string, string> },
    cases: readonly string[] = [CASE],
  ): Promise<Reader> => {
    const { port } = play.world.server.server;
    const { host } = new URL(play.world.server.url);
    const reader = await openReader({ host: '127.0.0.1', port }, cases, {
      host,
      ...who.headers,
      ...(typeof who.key === 'string' && { authorization: `Bearer ${who.key}` }),
    });
    open.push(reader);
    return reader;
  };
  const isTold = (reader: Reader, names: readonly string[], caseUid = CASE): Promise<void> =>
    vi.waitFor(
      () => expect(reader.here(caseUid)?.here.toSorted()).toEqual([...names].toSorted()),
      SOON,
    );

  it('tells each the others, who only read too, until their stream ends, and writes nothing', async () => {
    const { server } = play.world;
    const first = await reading(play.opener);
    const before = await server.stored();
    const [viewer, member] = [await reading(play.others['a viewer']!), await reading(play.first)];
    await isTold(first, [name.viewer, name.member]);
    await isTold(viewer, [name.owner, name.member]);
    await isTold(member, [name.owner, name.viewer]);
    // A second window of somebody is one person, who hears nothing of themselves.
    const again = await reading(play.first);
    await isTold(again, [name.owner, name.viewer]);
    viewer.leave();
    await isTold(first, [name.member]);
    member.leave();
    await isTold(again, [name.owner]);
    again.leave();
    await isTold(first, []);
    expect(await server.stored()).toBe(before);
  });

  it('tells of nobody who has another case open, or is of another account', async () => {
    const { world } = play;
    const stranger = await world.session(world.other);
    const [elsewhere, theirs] = [
      await reading(play.first, ['another-case']),
      await reading({ headers: stranger.headers }),
    ];
    const [first, viewer] = [await reading(play.opener), await reading(play.others['a viewer']!)];
    await isTold(first, [name.viewer]);
    await isTold(viewer, [name.owner]);
    expect([elsewhere.told, theirs.told]).toEqual([0, 0]);
  });

  it('tells somebody’s studio, and refuses programs, names that are none, and too many of them', async () => {
    const studio = await reading(play.others["an owner's studio"]!);
    const viewer = await reading(play.others['a viewer']!);
    await isTold(studio, [name.viewer]);
    await isTold(viewer, [name.owner]);
    expect((await reading(play.others["an owner's agent"]!)).status).toBe(403);
    for (const bad of [['../x'], [''], Array.from({ length: 17 }, (_, at) => `c${at}`)])
      expect((await reading(play.opener, bad)).status).toBe(400);
  });

  it('ends with the access of whoever was there', async () => {
    const { world } = play;
    const session = await world.session(world.viewer);
    const first = await reading(play.opener);
    await reading({ headers: session.headers });
    await isTold(first, [name.viewer]);
    const path = `/api/v1/sessions/${session.session_id}`;
    expect((await world.call('DELETE', path, { headers: session.headers })).status).toBe(200);
    await isTold(first, []);
  });

  it('YR7 tells recorders of nobody while their round is open, and everybody else as before', async () => {
    const [member, viewer, owner] = [
      await reading(play.first),
      await reading(play.others['a viewer']!),
      await reading(play.opener),
    ];
    await isTold(member, [name.viewer, name.owner]);
    const round = await play.open({ record: 'shown', profile_uid: TRIO });
    await isTold(member, []);
    const late = await reading(play.first);
    await isTold(viewer, [name.member, name.owner]);
    await isTold(owner, [name.viewer, name.member]);
    expect(late.told).toBe(0);
    await play.call('POST', `/cases/${CASE}/rounds/${round}/release`, play.opener, { reason: 'r' });
    await isTold(member, [name.viewer, name.owner]);
    await isTold(late, [name.viewer, name.owner]);
  });

  it('YR7 tells recorders who came while their round was open of each other once it is released', async () => {
    const round = await play.open();
    const [member, second] = [await reading(play.first), await reading(play.second)];
    const viewer = await reading(play.others['a viewer']!);
    await vi.waitFor(() => expect(viewer.here(CASE)?.here).toHaveLength(2), SOON);
    viewer.leave();
    await play.call('POST', `/cases/${CASE}/rounds/${round}/release`, play.opener, { reason: 'r' });
    await isTold(second, [name.member]);
    expect([member.told, second.told]).toEqual([1, 1]);
  });
});
