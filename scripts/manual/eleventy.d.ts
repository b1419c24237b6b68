/** The parts of Eleventy that are used here; it brings no types. */
declare module '@11ty/eleventy' {
  interface Token {
    type: string;
    tag: string;
    content: string;
    children: Token[] | null;
    attrs: [string, string][] | null;
    attrGet(name: string): string | null;
    attrSet(name: string, value: string): void;
  }
  export interface MarkdownLike {
    core: {
      ruler: { push(name: string, rule: (state: { tokens: Token[]; env: unknown }) => void) };
    };
  }
  interface Config {
    addTemplate(path: string, content: string, data: Record<string, unknown>): void;
    amendLibrary(name: 'md', change: (library: MarkdownLike) => void): void;
  }
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; config(config: Config): Record<string, unknown> },
    );
    disableLogger(): void;
    toJSON(): Promise<unknown>;
  }
}
