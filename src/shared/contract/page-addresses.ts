/** The studio's pages by name, each with its address; `:name` is a part that varies. */
export const STUDIO_PAGES = {
  projects: '/studio',
  project: '/studio/projects/:projectId',
  case: '/studio/cases/:caseUid',
  carryForward: '/studio/cases/:caseUid/carry-forward',
  suggestions: '/studio/cases/:caseUid/suggestions',
  discussion: '/studio/cases/:caseUid/discussion',
  rounds: '/studio/cases/:caseUid/rounds',
  round: '/studio/cases/:caseUid/rounds/:roundId',
  runs: '/studio/runs',
  run: '/studio/runs/:runUid',
  /** The item is named by `uid` in the query: an identifier may be `..` or hold slashes. */
  runItem: '/studio/runs/:runUid/item',
  compareRuns: '/studio/runs/:runUid/compare',
  report: '/studio/runs/:runUid/report',
  profiles: '/studio/profiles',
  profile: '/studio/profiles/:profileUid',
  compareVersions: '/studio/profiles/:profileUid/compare',
  profileDraft: '/studio/profile-drafts/:draftId',
  sync: '/studio/sync',
  agents: '/studio/agents',
  account: '/account',
} as const;
export type StudioPageName = keyof typeof STUDIO_PAGES;

/** Pages that a server answers beside the studio. */
export const SERVER_PAGES = {
  signIn: '/sign-in',
  signOut: '/sign-out',
  login: '/login',
  setup: '/setup',
  join: '/join',
  docs: '/docs',
  manual: '/manual/index.html',
  /** Tools for agents, by the Model Context Protocol. */
  mcp: '/mcp',
} as const;

/** Where a command of the menu leads. */
export const MENU_PAGES = {
  'new-project': STUDIO_PAGES.projects,
  'go-projects': STUDIO_PAGES.projects,
  'go-runs': STUDIO_PAGES.runs,
  'go-profiles': STUDIO_PAGES.profiles,
  'go-sync': STUDIO_PAGES.sync,
  'go-account': STUDIO_PAGES.account,
} as const;

type Varying<Address extends string> = Address extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Varying<Rest>
  : Address extends `${string}:${infer Name}`
    ? Name
    : never;

/** The address of a page, with these values encoded in the parts that vary. */
export function pageAddress<Name extends StudioPageName>(
  name: Name,
  values: Readonly<Record<Varying<(typeof STUDIO_PAGES)[Name]>, string>>,
): string {
  return STUDIO_PAGES[name].replace(/:(\w+)/g, (_, part: keyof typeof values) =>
    encodeURIComponent(values[part]),
  );
}

/**
 * Whether the path is a view of the studio: all of them answer the one page, in a browser and in
 * the window alike.
 */
export function isStudioPage(pathname: string): boolean {
  return (
    pathname === STUDIO_PAGES.projects ||
    pathname.startsWith(`${STUDIO_PAGES.projects}/`) ||
    pathname === STUDIO_PAGES.account
  );
}
