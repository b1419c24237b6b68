import { isStudioPage } from '../../shared/contract/studio-pages.ts';
import { toAnswer, ApiError } from '../context/errors.ts';
import type { Deps } from '../context/deps.ts';
import type { Answer, RequestContext } from '../context/request.ts';
import { JSON_TYPE } from '../http/headers.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { docsPages } from './docs.ts';
import { DOCS_PATH, HTML_TYPE, PLAIN_CSP, STYLE_PATH } from './layout.ts';
import { JOIN } from './next.ts';
import type { Readiness } from '../instance/readiness.ts';
import type { StudioPages } from './studio.ts';
import { STYLE } from './style.ts';
import type { Desk } from './team/desk.ts';
import { createJoinPage } from './team/join.ts';
import { JOIN_SCRIPT, JOIN_SCRIPT_PATH } from './team/join-script.ts';
import { createLoginPage } from './team/login.ts';
import { createSetupPage } from './team/setup.ts';

type Handler = (context: RequestContext) => Promise<Answer> | Answer;
interface Page {
  label: string;
  methods: ReadonlyMap<string, Handler>;
  allow: string;
}
export interface PageTable {
  /** `METHOD label` of every page. */
  routes: readonly string[];
  find(context: RequestContext): Promise<Page | undefined>;
}

function reads(label: string, handler: Handler): Page {
  return { label, methods: new Map([['GET', handler]]), allow: 'GET, HEAD, OPTIONS' };
}

/** A page with a form. */
function asks(label: string, { get, post }: { get: Handler; post: Handler }): Page {
  return {
    label,
    methods: new Map([
      ['GET', get],
      ['POST', post],
    ]),
    allow: 'GET, HEAD, POST, OPTIONS',
  };
}

async function answerReadiness(readiness: Readiness, context: RequestContext): Promise<Answer> {
  const headers = { 'Content-Type': JSON_TYPE };
  const problem = await readiness();
  if (problem === undefined) return { status: 200, headers, body: '{"status":"ready"}' };
  const answer = toAnswer(
    new ApiError('unavailable', 'path' in problem ? { details: [problem] } : problem),
    context.id,
  );
  return { status: answer.status, headers: { ...headers, ...answer.headers }, body: answer.body };
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
  desk: Desk,
): PageTable {
  let docs: ReturnType<typeof docsPages> | undefined;
  const docsPage = reads(`${DOCS_PATH}/{group}`, ({ path }) => {
    const body = (docs ??= docsPages(openApi())).get(path);
    if (body === undefined) throw new ApiError('not_found');
    return {
      status: 200,
      headers: { 'Content-Type': HTML_TYPE, 'Content-Security-Policy': PLAIN_CSP },
      body,
    };
  });
  const pages = new Map<string, Page>([
    ['/', reads('/', () => ({ status: 307, headers: { Location: '/studio' }, body: '' }))],
    [
      '/healthz',
      reads('/healthz', () => ({
        status: 200,
        headers: { 'Content-Type': JSON_TYPE },
        body: '{"status":"ok"}',
      })),
    ],
    ['/readyz', reads('/readyz', (context) => answerReadiness(readiness, context))],
    [DOCS_PATH, { ...docsPage, label: DOCS_PATH }],
    [
      STYLE_PATH,
      reads(STYLE_PATH, () => ({
        status: 200,
        headers: { 'Content-Type': 'text/css; charset=utf-8' },
        body: STYLE,
      })),
    ],
    ['/sign-in', reads('/sign-in', (context) => studio.signIn(context))],
    [
      '/sign-out',
      {
        label: '/sign-out',
        methods: new Map([['POST', (context: RequestContext) => studio.signOut(context)]]),
        allow: 'POST, OPTIONS',
      },
    ],
  ]);
  const script = reads(JOIN_SCRIPT_PATH, () => ({
    status: 200,
    headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
    body: JOIN_SCRIPT,
  }));
  const team =
    deps.home === 'hosted'
      ? [
          asks('/setup', createSetupPage(desk)),
          asks('/login', createLoginPage(desk)),
          asks(JOIN, createJoinPage(desk)),
          script,
        ]
      : [];
  for (const page of team) pages.set(page.label, page);
  const view = reads('/studio/*', (context) => studio.page(context));
  const asset = (file: Answer): Page => reads('/assets/*', () => file);
  return {
    routes: [
      ...pages.values(),
      docsPage,
      view,
      asset({ status: 200, headers: {}, body: '' }),
    ].flatMap(({ label, methods }) => [...methods.keys()].map((method) => `${method} ${label}`)),
    async find(context) {
      const page = pages.get(context.path);
      if (page !== undefined) return page;
      if (context.path.startsWith(`${DOCS_PATH}/`)) return docsPage;
      if (isStudioPage(context.path)) return view;
      const file = await studio.file(context);
      return file && asset(file);
    },
  };
}
