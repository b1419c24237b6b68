/**
 * `node scripts/manual/manual.ts`: docs/ and the pages beside it as one manual that needs no
 * network, in `out/renderer/manual`, where the studio and its server find it.
 */
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Eleventy, { type MarkdownLike } from '@11ty/eleventy';
import { z } from 'zod';
import { layout } from './layout.ts';
import { linkFrom, type ManualPage, manualPages, slugOf } from './pages.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const Made = z.array(z.object({ url: z.string(), content: z.string() }));

/** Leads links into the manual, and names headings. What it does not have is no link. */
function ruleFor(pages: readonly ManualPage[]) {
  return (library: MarkdownLike): void => {
    library.core.ruler.push('manual', ({ tokens, env }) => {
      const { source } = z.object({ source: z.string() }).parse(env);
      for (const [index, token] of tokens.entries()) {
        const next = tokens[index + 1];
        if (token.type === 'heading_open' && next !== undefined)
          token.attrSet('id', slugOf((next.children ?? []).map(({ content }) => content).join('')));
        let dropped = false;
        for (const child of token.children ?? []) {
          const name = { link_open: 'href', image: 'src' }[child.type];
          if (name !== undefined) {
            const to = linkFrom(source, child.attrGet(name) ?? '', pages, ROOT);
            dropped = to === undefined;
            if (to !== undefined) child.attrSet(name, to);
          }
          if (dropped && child.type.startsWith('link_')) {
            child.tag = 'span';
            child.attrs = null;
          }
        }
      }
    });
  };
}

/** Every page as HTML, by its file below `/manual/`. */
export async function renderManual(): Promise<Map<string, string>> {
  const pages = manualPages(ROOT);
  const eleventy = new Eleventy(path.join(ROOT, 'scripts/manual'), path.join(ROOT, 'out'), {
    quietMode: true,
    config: (config) => {
      for (const { source, file, markdown } of pages)
        config.addTemplate(`${file}.md`, markdown, { permalink: `/${file}`, source });
      config.amendLibrary('md', ruleFor(pages));
      // The folder itself has no pages: all of them are named here.
      return { templateFormats: ['md'], markdownTemplateEngine: false };
    },
  });
  eleventy.disableLogger();
  const made = Made.parse(await eleventy.toJSON());
  return new Map(
    pages.map((page) => {
      const body = made.find(({ url }) => url.replace(/\/$/, '/index.html') === `/${page.file}`);
      if (body === undefined) throw new Error(`${page.source} was not made.`);
      return [page.file, layout(page, pages, body.content)];
    }),
  );
}

if (import.meta.main) {
  const target = path.join(ROOT, 'out/renderer/manual');
  rmSync(target, { recursive: true, force: true });
  for (const [file, html] of await renderManual()) {
    mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
    writeFileSync(path.join(target, file), html);
  }
  for (const file of ['scripts/manual/manual.css', 'src/renderer/app/icons/icon.svg'])
    copyFileSync(path.join(ROOT, file), path.join(target, path.basename(file)));
  cpSync(path.join(ROOT, 'docs/images'), path.join(target, 'images'), { recursive: true });
}
