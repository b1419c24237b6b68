import type { CallOptions, TestAnswer, TestServer } from './server.ts';

/**
 * A browser as far as a server sees it: it keeps cookies, fills in forms, and says where a request
 * comes from.
 */
export class Visitor {
  readonly #server: Pick<TestServer, 'url' | 'call'>;
  readonly #cookies = new Map<string, string>();
  readonly #headers: Record<string, string>;

  constructor(server: Pick<TestServer, 'url' | 'call'>, headers: Record<string, string> = {}) {
    this.#server = server;
    this.#headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ...headers,
    };
  }

  /** The one whose name ends so, as a header would say it; set it to plant one. */
  get cookies(): Map<string, string> {
    return this.#cookies;
  }
  cookie(end: string): string | undefined {
    return [...this.#cookies].find(([name]) => name.endsWith(end))?.[1];
  }

  async send(
    method: string,
    path: string,
    options: { headers?: Record<string, string>; body?: unknown; raw?: string } = {},
  ): Promise<TestAnswer> {
    if (method === 'GET' && path.includes('#')) return this.#follow(path);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#server.call(method, path, {
      key: null,
      ...options,
      headers: { ...this.#headers, ...(cookie !== '' && { cookie }), ...options.headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }

  /**
   * An invitation's link, as the script of its page opens it: the token goes in a body, and the
   * browser is led to the invitation.
   */
  async #follow(link: string): Promise<TestAnswer> {
    const [path = '', token = ''] = link.split('#');
    const opened = await this.submit(path, { token });
    return opened.status === 303 ? this.send('GET', opened.headers.get('location') ?? '') : opened;
  }

  /** The form of this path, filled in and sent as a browser would. */
  async submit(path: string, fields: Record<string, string>): Promise<TestAnswer> {
    return (await this.open(path))(fields);
  }
  /** The form of this path, to be sent later. */
  async open(path: string): Promise<(fields: Record<string, string>) => Promise<TestAnswer>> {
    const page = await this.send('GET', path);
    const proof = /name="proof" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    return (fields) => this.post(path.split('#')[0]!, { proof, ...fields });
  }
  post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> {
    return this.send('POST', path, {
      raw: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: this.#server.url,
        ...headers,
      },
    });
  }
  /** An operation of the API, from a page. */
  api(method: string, path: string, body?: unknown): Promise<TestAnswer> {
    return this.send(method, `/api/v1${path}`, {
      headers: { origin: this.#server.url },
      ...(body !== undefined && { body }),
    });
  }
}

/** A server that is a process of its own. */
export function browserAt(url: string): Pick<TestServer, 'url' | 'call'> {
  return {
    url,
    async call(
      method: string,
      target: string,
      { body, raw, headers }: CallOptions = {},
    ): Promise<TestAnswer> {
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(url + target, {
        method,
        redirect: 'manual',
        headers: { ...(sent !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(sent !== undefined && { body: sent }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: text.startsWith('{') ? JSON.parse(text) : undefined,
      };
    },
  };
}

export const OWNER = {
  team: 'Sequencing',
  name: 'Ada',
  email: 'ada@example.org',
  password: 'seven purple rivers turn',
};

/** Sets the server up, and comes back as its owner. */
export async function setUp(
  server: Pick<TestServer, 'url' | 'call'>,
  token: string | undefined,
  owner = OWNER,
): Promise<Visitor> {
  const visitor = new Visitor(server);
  const answer = await visitor.submit('/setup', { token: token ?? '', ...owner });
  if (answer.status !== 303) throw new Error(`${answer.status}: ${answer.text}`);
  return visitor;
}

/** The link of a new invitation, without its host. */
export async function invitation(owner: Visitor, role = 'member', name?: string): Promise<string> {
  const { status, body, text } = await owner.api('POST', '/invitations', {
    role,
    ...(name !== undefined && { name }),
  });
  if (status !== 201) throw new Error(text);
  const { pathname, hash } = new URL(body.url);
  return pathname + hash;
}

/** Somebody new who joins by a link, in a browser of their own. */
export async function joinTeam(
  server: Pick<TestServer, 'url' | 'call'>,
  path: string,
  person: { name: string; email: string; password?: string },
): Promise<Visitor> {
  const visitor = new Visitor(server);
  const answer = await visitor.submit(path, { password: 'nine slow lanterns drift', ...person });
  if (answer.status !== 303) throw new Error(`${answer.status}: ${answer.text}`);
  return visitor;
}

export async function signInAs(
  server: Pick<TestServer, 'url' | 'call'>,
  email: string,
  password: string,
  visitor = new Visitor(server),
): Promise<Visitor> {
  const answer = await visitor.submit('/login', { email, password });
  if (answer.status !== 303) throw new Error(`${answer.status}: ${answer.text}`);
  return visitor;
}
