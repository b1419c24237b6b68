import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { upsertProject } from '../../../shared/contract/v1/projects.ts';
import { type Command, type CommandSource, useCommands } from '../../state/commands.ts';
import { type Theme, useTheme } from '../../state/theme.ts';
import { useMay } from '../../state/use-may.ts';
import { CREATE } from '../use-menu-actions.ts';

const PAGES = [
  ['projects', 'Projects'],
  ['runs', 'Runs'],
  ['profiles', 'Profiles'],
  ['sync', 'Sync: pending changes and hosted server'],
  ['account', 'Account and API keys'],
] as const;
const THEMES: readonly [Theme, string][] = [
  ['system', 'as the system'],
  ['light', 'light'],
  ['dark', 'dark'],
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
          ...PAGES.map(([id, name]) =>
            command(
              `page.${id}`,
              `Go to ${name.charAt(0).toLowerCase()}${name.slice(1)}`,
              'Pages',
              () => void navigate(STUDIO_PAGES[id]),
            ),
          ),
          ...(mayCreate
            ? [
                command(
                  'page.new-project',
                  'New project…',
                  'Pages',
                  () => void navigate(STUDIO_PAGES.projects, { state: CREATE }),
                ),
              ]
            : []),
          ...THEMES.map(([theme, words]) =>
            command(`theme.${theme}`, `Colours: ${words}`, 'Appearance', () => setTheme(theme)),
          ),
        ],
      };
    }, [navigate, setTheme, mayCreate]),
  );
}
