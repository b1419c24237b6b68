import { isStudioPage, SERVER_PAGES, STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { toAnswer, ApiError } from '../context/errors.ts';
import type { Deps } from '../context/deps.ts';
import type { HttpAnswer, RequestContext } from '../context/request.ts';
import { JSON_TYPE } from '../http/headers.ts';
import { type Identity, IDENTITY_PATH } from '../instance/discovery.ts';
import type { OpenApiDocument } from '../openapi/shapes.ts';
import { docsPages } from './docs.ts';
import { DOCS_PATH, HTML_TYPE, PLAIN_CSP, STYLE_PATH } from './layout.ts';
import type { Readiness } from '../instance/readiness.ts';
import type { StudioPages } from './studio.ts';
import { STYLE } from './style.ts';
import { createJoinPage } from './team/join.ts';
import { JOIN_SCRIPT, JOIN_SCRIPT_PATH } from './team/join-script.ts';
import { createLoginPage } from './team/login.ts';
import { createSetupPage } from './team/setup.ts';
import type { SignInPages } from './team/sign-in-pages.ts';

export type Handler = (context: RequestContext) => Promise<HttpAnswer> | HttpAnswer;
interface ServedPage {
  label: string;
  methods: ReadonlyMap<string, Handler>;
  allow: string;
}
export interface PageTable {
  /** `METHOD label` of every page. */
  routes: readonly string[];
  find(context: RequestContext): Promise<ServedPage | undefined>;
}

function reads(label: string, handler: Handler): ServedPage {
  return { label, methods: new Map([['GET', handler]]), allow: 'GET, HEAD, OPTIONS' };
}

/** A page with a form. */
function asks(label: string, { get, post }: { get: Handler; post: Handler }): ServedPage {
  return {
    label,
    methods: new Map([
      ['GET', get],
      ['POST', post],
    ]),
    allow: 'GET, HEAD, POST, OPTIONS',
  };
}

async function answerReadiness(readiness: Readiness, context: RequestContext): Promise<HttpAnswer> {
  const headers = { 'Content-Type': JSON_TYPE };
  const problem = await readiness();
  if (problem === undefined) return { status: 200, headers, body: '{"status":"ready"}' };
  const answer = toAnswer(
    new ApiError('unavailable', 'path' in problem ? { details: [problem] } : problem),
    context.id,
  );
  return { status: answer.status, headers: { ...headers, ...answer.headers }, body: answer.body };
}

/** A page that is the same for everybody. */
function fixed(label: string, type: string, body: string): ServedPage {
  return reads(label, () => ({ status: 200, headers: { 'Content-Type': type }, body }));
}

/** The documentation, made from the API's own document when it is first asked for. */
function docsPage(openApi: () => OpenApiDocument): ServedPage {
  let docs: ReturnType<typeof docsPages> | undefined;
  return reads(`${DOCS_PATH}/{group}`, ({ path }) => {
    const body = (docs ??= docsPages(openApi())).get(path);
    if (body === undefined) throw new ApiError('not_found');
    return {
      status: 200,
      headers: { 'Content-Type': HTML_TYPE, 'Content-Security-Policy': PLAIN_CSP },
      body,
    };
  });
}

function commonPages(
  { version, instanceId }: Deps,
  readiness: Readiness,
  studio: StudioPages,
): readonly ServedPage[] {
  const identity: Identity = { product: 'evidence-studio', version, instance_id: instanceId };
  const { signIn, signOut } = SERVER_PAGES;
  const toStudio = { status: 307, headers: { Location: STUDIO_PAGES.projects }, body: '' };
  return [
    reads('/', () => toStudio),
    fixed(IDENTITY_PATH, JSON_TYPE, JSON.stringify(identity)),
    fixed('/healthz', JSON_TYPE, '{"status":"ok"}'),
    reads('/readyz', (context) => answerReadiness(readiness, context)),
    fixed(STYLE_PATH, 'text/css; charset=utf-8', STYLE),
    reads(signIn, (context) => studio.signIn(context)),
    {
      label: signOut,
      methods: new Map([['POST', (context: RequestContext) => studio.signOut(context)]]),
      allow: 'POST, OPTIONS',
    },
  ];
}

/** Pages of a hosted server, for people who are not signed in yet. */
function teamPages(pages: SignInPages): readonly ServedPage[] {
  return [
    asks(SERVER_PAGES.setup, createSetupPage(pages)),
    asks(SERVER_PAGES.login, createLoginPage(pages)),
    asks(SERVER_PAGES.join, createJoinPage(pages)),
    fixed(JOIN_SCRIPT_PATH, 'text/javascript; charset=utf-8', JOIN_SCRIPT),
  ];
}

/**
 * Every page outside /api/v1 by its exact path. The studio's own views and files come from the
 * studio's list.
 */
export function createPageTable(
  deps: Deps,
  readiness: Readiness,
  studio: StudioPages,
  openApi: () => OpenApiDocument,
  signInPages: SignInPages,
  mcp: Handler,
): PageTable {
  const docs = docsPage(openApi);
  const view = reads('/studio/*', (context) => studio.page(context));
  const asset = (file: HttpAnswer): ServedPage => reads('/assets/*', () => file);
  const listed = [
    ...commonPages(deps, readiness, studio),
    { ...docs, label: DOCS_PATH },
    { label: SERVER_PAGES.mcp, methods: new Map([['POST', mcp]]), allow: 'POST, OPTIONS' },
    ...(deps.home === 'hosted' ? teamPages(signInPages) : []),
  ];
  const pages = new Map(listed.map((page) => [page.label, page]));
  return {
    routes: [...listed, docs, view, asset({ status: 200, headers: {}, body: '' })].flatMap(
      ({ label, methods }) => [...methods.keys()].map((method) => `${method} ${label}`),
    ),
    async find(context) {
      const page = pages.get(context.path);
      if (page !== undefined) return page;
      if (context.path.startsWith(`${DOCS_PATH}/`)) return docs;
      if (isStudioPage(context.path)) return view;
      const file = await studio.file(context);
      return file && asset(file);
    },
  };
}
