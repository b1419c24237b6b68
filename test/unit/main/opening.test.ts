import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { openingIn, pageOfLink } from '../../../src/main/opening.ts';
import { sampleRecord } from '../shared/domain/run-sample.ts';
import { newFolder, start } from './start.ts';

describe('E12 a link from another program', () => {
  it('leads to the run, the case or the profile that it names', () => {
    expect(pageOfLink('evidence-studio://runs/trio.run-1')).toBe('/studio/runs/trio.run-1');
    expect(pageOfLink('evidence-studio://cases/a:b')).toBe('/studio/cases/a%3Ab');
    expect(pageOfLink('evidence-studio://profiles/constructor')).toBe(
      '/studio/profiles/constructor',
    );
  });

  it.each([
    'evidence-studio://open/run/..%2f',
    'evidence-studio://evil/',
    'evidence-studio://runs/',
    'evidence-studio://runs/a/b',
    'evidence-studio://runs/..%2f..%2fapi',
    'evidence-studio://runs/%2e%2e',
    'evidence-studio://runs/a%00b',
    'evidence-studio://runs/%',
    'evidence-studio://runs/a?x=1',
    'evidence-studio://runs/a#x',
    'evidence-studio://user@runs/a',
    'evidence-studio://user:word@runs/a',
    'evidence-studio://runs:80/a',
    'evidence-studio:runs/a',
    'evidence-studio:///runs/a',
    `evidence-studio://runs/${'a'.repeat(600)}`,
    'evidence-studio://runs/<img src=x>',
    'evidence-studio://keys/a',
    'https://runs/a',
    'javascript:alert(1)',
    'file:///runs/a',
    'app://studio/api/v1/keys',
    'data:text/html,x',
    '',
  ])('leads nowhere from %s', (link) => {
    expect(pageOfLink(link)).toBeUndefined();
  });

  it('is looked for among words that are no switches', () => {
    expect(openingIn(['--inspect', '--x=evidence-studio://runs/a'], '/')).toBeUndefined();
    expect(openingIn(['.', 'x.json', 'evidence-studio://runs/a'], '/')).toEqual({
      page: '/studio/runs/a',
    });
    expect(openingIn(['a.evidence-run'], '/home/ada')).toEqual({
      file: path.resolve('/home/ada/a.evidence-run'),
    });
    expect(openingIn(['file://%'], '/')).toBeUndefined();
  });

  it('opens its page at the start, in a running window and, on a Mac, by an event', async () => {
    const { app, windows } = await start({ argv: ['evidence-studio://runs/first'] });
    const loaded = (): string[] => windows[0]!.calls.filter((call) => call.startsWith('load '));
    expect(loaded().at(-1)).toBe('load app://studio/studio/runs/first');
    app.emit('second-instance', {}, ['--inspect', 'evidence-studio://runs/second'], '/');
    expect(loaded().at(-1)).toBe('load app://studio/studio/runs/second');
    app.emit('open-url', { preventDefault: () => undefined }, 'evidence-studio://cases/third');
    expect(loaded().at(-1)).toBe('load app://studio/studio/cases/third');
    const before = loaded().length;
    app.emit('second-instance', {}, 'not a list', 7);
    app.emit('open-url', { preventDefault: () => undefined }, undefined);
    expect(loaded()).toHaveLength(before);
  });
});

describe('a frozen run that is opened as a file', () => {
  const record = sampleRecord();
  it.each([
    ['info', 'as it was frozen', record],
    ['error', 'is not what was frozen', { ...record, content_hash: `sha256:${'0'.repeat(64)}` }],
    ['warning', 'is not a frozen run', { hello: 'world' }],
    ['warning', 'cannot be read', '{"half"'],
  ])('%s: %s', async (type, words, content) => {
    const file = path.join(newFolder(), 'one two.evidence-run.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    const { boxes } = await start({ argv: [pathToFileURL(file).href] });
    await vi.waitFor(() => expect(boxes).toHaveLength(1), 60_000);
    expect(boxes[0]).toMatchObject({ type, buttons: ['OK'] });
    expect(boxes[0]?.message).toContain(words);
    expect(boxes[0]?.message).toContain('one two.evidence-run.json');
  });
});
