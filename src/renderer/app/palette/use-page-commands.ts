import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { upsertProject } from '../../../shared/contract/v1/projects.ts';
import { type Command, type CommandSource, useCommands } from '../../state/commands.ts';
import { type Theme, useTheme } from '../../state/theme.ts';
import { useMay } from '../../state/use-may.ts';
import { CREATE } from '../use-menu-actions.ts';
import { t } from '../../text/t.ts';

const PAGES = [
  ['projects', t('Go to projects')],
  ['runs', t('Go to runs')],
  ['profiles', t('Go to profiles')],
  ['sync', t('Go to sync: pending changes and hosted server')],
  ['account', t('Go to account and API keys')],
] as const;
const THEMES: readonly [Theme, string][] = [
  ['system', t('Colours: as the system')],
  ['light', t('Colours: light')],
  ['dark', t('Colours: dark')],
];

/** What can be done from every page. */
export function usePageCommands(): void {
  const navigate = useNavigate();
  const setTheme = useTheme((state) => state.setTheme);
  const mayCreate = useMay(upsertProject);
  useCommands(
    useMemo((): CommandSource => {
      const command = (id: string, label: string, group: string, run: () => void): Command => ({
        id,
        label,
        group,
        keys: '',
        enabled: true,
        run,
      });
      return {
        places: [],
        commands: () => [
          ...PAGES.map(([id, label]) =>
            command(`page.${id}`, label, t('Pages'), () => void navigate(STUDIO_PAGES[id])),
          ),
          ...(mayCreate
            ? [
                command(
                  'page.new-project',
                  t('New project…'),
                  t('Pages'),
                  () => void navigate(STUDIO_PAGES.projects, { state: CREATE }),
                ),
              ]
            : []),
          ...THEMES.map(([theme, label]) =>
            command(`theme.${theme}`, label, t('Appearance'), () => setTheme(theme)),
          ),
        ],
      };
    }, [navigate, setTheme, mayCreate]),
  );
}
