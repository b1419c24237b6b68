import { expect, test } from 'vitest';
import { converge, eventually, RULE, Studio } from './world.ts';

test('two studios and a hosted server come to hold the same, whoever wrote what (I1, I2, U1)', async () => {
  await using hosted = await Studio.hosted();
  await using one = await Studio.open('one');
  await using two = await Studio.open('two');
  const { key } = await hosted.makeKey('Ada', 'member');
  const { key: other } = await hosted.makeKey('Ben', 'member');

  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i1', 'TRUE');
  expect(await one.status()).toMatchObject({
    available: true,
    state: 'off',
    connection: null,
    projects: [{ project_id: project, shared: false, here: true, there: false }],
  });

  expect(await one.connect(hosted.server.url, key)).toMatchObject({
    connection: { url: hosted.server.url, user: { name: 'Ada', role: 'member' }, key_kept: 'file' },
  });
  await one.share(project);
  await converge(['case-1', `@project/${project}`], hosted, one);
  expect(await hosted.cells('case-1')).toEqual([`i1/${RULE}=TRUE`]);
  await eventually(async () =>
    expect((await one.status()).links.map(({ kind, state }) => `${kind} ${state}`)).toEqual(
      expect.arrayContaining(['project equal', 'case equal']),
    ),
  );

  await two.connect(hosted.server.url, other);
  await eventually(async () =>
    expect((await two.status()).projects).toEqual([
      { project_id: project, name: 'Trios', shared: false, here: false, there: true },
    ]),
  );
  await two.share(project);
  await converge(['case-1', `@project/${project}`], hosted, one, two);
  expect(await two.cells('case-1')).toEqual([`i1/${RULE}=TRUE`]);

  await two.record('case-1', 'i2', 'NA');
  await one.makeCase(project, 'case-2');
  await one.record('case-2', 'x', 'FALSE');
  await converge(['case-1', 'case-2'], hosted, one, two);
  expect(await one.cells('case-1')).toEqual([`i1/${RULE}=TRUE`, `i2/${RULE}=NA`]);
  expect(await two.cells('case-2')).toEqual([`x/${RULE}=FALSE`]);

  // V15 What one archives and another records meanwhile stand side by side everywhere.
  const retired = '/api/v1/profiles/trio_rare_disease/state';
  await one.ok('POST', '/api/v1/cases/case-2/state', { state: 'archived', reason: 'closed' });
  await one.ok('POST', `/api/v1/projects/${project}/state`, { state: 'archived' });
  await one.ok('POST', retired, { state: 'retired' });
  await two.record('case-2', 'y', 'TRUE');
  await converge(['case-2', `@project/${project}`], hosted, one, two);
  for (const hub of [hosted, one, two]) {
    expect(await hub.ok('GET', '/api/v1/cases/case-2')).toMatchObject({ archived: true });
    expect(await hub.ok('GET', `/api/v1/projects/${project}`)).toMatchObject({ archived: true });
    expect(await hub.cells('case-2')).toEqual([`x/${RULE}=FALSE`, `y/${RULE}=TRUE`]);
    await eventually(async () =>
      expect((await hub.ok('GET', '/api/v1/profiles?state=retired')).data).toMatchObject(
        ['1.0', '1.1'].map((version) => ({ profileUid: 'trio_rare_disease', version })),
      ),
    );
  }
  expect(one.log + two.log + hosted.log).not.toContain(key);
});
