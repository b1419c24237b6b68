import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderManual } from '../../../scripts/manual/manual.ts';
import { linkFrom, manualPages, slugOf } from '../../../scripts/manual/pages.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
let pages: Map<string, string>;
beforeAll(async () => {
  pages = await renderManual();
});

const attributes = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map((found) => found[1] ?? '');

/** What the studio and its server answer beside the manual. */
const OUTSIDE = ['/studio', '/docs', '/manual/manual.css', '/manual/icon.svg'];

describe('the manual', () => {
  it('has every page of docs/, and the first is how to begin', () => {
    expect(pages.get('index.html')).toContain('<h1 id="evidence-studio">');
    expect(pages.size).toBe(manualPages(ROOT).length);
    for (const file of ['editor.html', 'hosting.html', 'decisions/index.html', 'log.html'])
      expect([...pages.keys()]).toContain(file);
  });

  it('leads nowhere but to itself and the studio, and each place is there', () => {
    for (const [file, html] of pages)
      for (const href of [...attributes(html, 'href'), ...attributes(html, 'src')]) {
        const [target = '', hash = ''] = href.split('#');
        const name = target === '' ? file : target.replace(/^\/manual\//, '');
        if (OUTSIDE.includes(target)) continue;
        if (name.startsWith('images/'))
          expect(existsSync(path.join(ROOT, 'docs', name)), href).toBe(true);
        else expect(pages.get(name) ?? '', `${file}: ${href}`).toContain('<main');
        if (hash !== '') expect(attributes(pages.get(name) ?? '', 'id'), href).toContain(hash);
      }
  });

  it('has no script, no style of a page and nothing from elsewhere', () => {
    for (const html of pages.values())
      expect(html).not.toMatch(/<script|<style|<[^>]+\s(?:style|on\w+)=|<iframe|<[^>]+"https?:/i);
    const style = readFileSync(path.join(ROOT, 'scripts/manual/manual.css'), 'utf8');
    expect(style).not.toMatch(/url\(|@import/);
  });

  it('makes no link of what it does not have, and refuses one that leads nowhere', () => {
    const listed = manualPages(ROOT);
    expect(linkFrom('docs/api.md', '../deploy', listed, ROOT)).toBeUndefined();
    expect(linkFrom('docs/api.md', 'sync.md#x', listed, ROOT)).toBe('/manual/sync.html#x');
    expect(linkFrom('docs/api.md', '#x', listed, ROOT)).toBe('#x');
    expect(() => linkFrom('docs/api.md', 'nothing.md', listed, ROOT)).toThrow('leads nowhere');
    expect(slugOf('High availability, by `pg`!')).toBe('high-availability-by-pg');
  });
});
