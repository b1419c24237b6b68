import type { CaseUid } from '../../shared/contract/ids.ts';
import { pageAddress } from '../../shared/contract/page-addresses.ts';
import { useEffect, useMemo } from 'react';
import { useNavigate } from 'react-router';
import { formatProfileAddress, type ProfileAddress } from '../features/cases/profile-address.ts';
import { useWaiting } from '../features/suggestions/use-suggestions.ts';
import { type CommandSource, useCommands } from '../state/commands.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { t } from '../text/t.ts';

/** More than these are not counted. */
const MOST = 100;
/** Agents work while the matrix is open. */
const ASK_AGAIN_MS = 30_000;

/** The way to the suggestions that wait for a decision; not shown where there are none. */
export function SuggestionsLink({
  caseUid,
  profile: { uid, version },
}: {
  caseUid: CaseUid;
  profile: ProfileAddress;
}) {
  const { data, reload } = useWaiting({ caseUid, uid, version }, MOST);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [reload]);
  const to = `${pageAddress('suggestions', { caseUid })}?profile=${formatProfileAddress({ uid, version })}`;
  useSuggestionsCommand(to);
  const count = data?.count ?? 0;
  if (count === 0) return null;
  return (
    <ButtonLink size="sm" to={to}>
      {count === MOST
        ? t('{count, number} or more suggestions', { count })
        : t('{count, plural, one {# suggestion} other {# suggestions}}', { count })}
    </ButtonLink>
  );
}

function useSuggestionsCommand(to: string): void {
  const navigate = useNavigate();
  useCommands(
    useMemo(
      (): CommandSource => ({
        places: [],
        commands: () => [
          {
            id: 'case.suggestions',
            label: t('Suggestions of this case'),
            group: t('Case'),
            keys: '',
            enabled: true,
            run: () => void navigate(to),
          },
        ],
      }),
      [navigate, to],
    ),
  );
}
