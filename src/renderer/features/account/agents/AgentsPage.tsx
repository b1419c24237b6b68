import { useState } from 'react';
import { getUsage } from '../../../../shared/contract/v1/account.ts';
import { type AgentSetup, getAgentSetup } from '../../../../shared/contract/v1/agent-setup.ts';
import { STUDIO_PAGES } from '../../../../shared/contract/page-addresses.ts';
import { useQuery } from '../../../state/query.ts';
import { Button } from '../../../ui/Button.tsx';
import { CopyButton } from '../../../ui/CopyButton.tsx';
import { AnnounceOnce, Loaded } from '../../../ui/Loaded.tsx';
import { Page, Section } from '../../../ui/Page.tsx';
import { saveBlob } from '../../../ui/save-file.ts';
import { Select } from '../../../ui/Select.tsx';
import { useServices } from '../../../state/services.tsx';
import { rich } from '../../../text/rich.ts';
import { t } from '../../../text/t.ts';
import { useCalled } from '../use-called.ts';
import { ConnectedAgents } from './ConnectedAgents.tsx';
import { configurationOf, createBundle, type AgentHost, HOSTS } from './hosts.ts';

/** How agents are connected, which are, what they did, and how that is taken back. */
export function AgentsPage() {
  const { queries } = useServices();
  const setup = useCalled('agent-setup', getAgentSetup);
  const usage = useCalled('usage', getUsage);
  const version = useQuery('session', (library) => library.session()).data?.server.version;
  const retry = () => ['agent-setup', 'usage'].forEach((key) => queries.invalidate(key));
  return (
    <Page
      title={t('Connect an agent')}
      crumbs={[{ label: t('Account'), to: STUDIO_PAGES.account }]}
    >
      <AnnounceOnce query={usage} onRetry={retry}>
        <Loaded query={setup} what={t('how agents are connected')} lines={6}>
          {(loaded) => <Configuration setup={loaded} version={version ?? '0.0.0'} />}
        </Loaded>
        <Loaded query={usage} what={t('keys')} lines={4}>
          {(loaded) => <ConnectedAgents keys={loaded.api_keys} />}
        </Loaded>
      </AnnounceOnce>
    </Page>
  );
}

function Configuration({ setup, version }: { setup: AgentSetup; version: string }) {
  const { command, mcp_url } = setup;
  return (
    <Section
      title={t('How a host reaches this studio')}
      note={t(
        'A host is the program that an agent works in. The agent asks to be let in at its first call; no key is copied. It suggests, and a person decides.',
      )}
    >
      {command !== null && <HostChoice command={command} version={version} />}
      <p>
        {rich(
          'Over HTTP, the tools are at {address}, with a key of the account page as "Authorization: Bearer".',
          { address: <code>{mcp_url}</code> },
        )}
      </p>
    </Section>
  );
}

function HostChoice({ command, version }: { command: readonly string[]; version: string }) {
  const [host, setHost] = useState<AgentHost>('claude-desktop');
  const entry = HOSTS.find((one) => one.host === host)!;
  const text = configurationOf(entry, command);
  const save = async (): Promise<void> =>
    saveBlob('evidence-studio.mcpb', await createBundle(command, version));
  return (
    <>
      <Select
        label={t('Host')}
        options={HOSTS.map(({ host: value, name: label }) => ({ value, label }))}
        value={host}
        onValue={setHost}
      />
      <p>{entry.where}</p>
      <pre
        className="code"
        aria-label={t('Configuration for {host}', { host: entry.name })}
        tabIndex={0}
      >
        {text}
      </pre>
      <p className="agent-acts">
        <CopyButton text={text} label={t('Copy configuration')} />
        {host === 'claude-desktop' && (
          <Button size="sm" onClick={() => void save()}>
            {t('Save as a bundle (.mcpb)')}
          </Button>
        )}
      </p>
    </>
  );
}
