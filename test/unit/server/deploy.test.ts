import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PORT, Environment } from '../../../src/server/config/environment.ts';
import { parseNetwork } from '../../../src/server/config/network.ts';
import { readPlainYaml } from '../../support/plain-yaml.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (name: string): string => readFileSync(path.join(ROOT, 'deploy', name), 'utf8');
const lines = (name: string): string[] =>
  read(name)
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  devDependencies: { node: string };
};
const known = (name: string): boolean =>
  !name.startsWith('EVIDENCE_STUDIO_') || Object.hasOwn(Environment.shape, name);

describe('deploy/', () => {
  it('names no setting that the server does not know', () => {
    for (const file of [
      'evidence-studio.service',
      'Dockerfile',
      'compose.yaml',
      'nginx.conf',
      'nginx-sticky.conf',
      'haproxy.cfg',
      'haproxy-postgres.cfg',
      'patroni.yml',
      'etcd.env',
      'Caddyfile',
      'database.sh',
    ]) {
      for (const [name] of read(file).matchAll(/EVIDENCE_STUDIO_[A-Z_]+/g))
        expect(known(name), `${name} in ${file}`).toBe(true);
    }
  });

  it('has a unit file of known sections and directives, that stops by SIGTERM with time to drain and may do little', () => {
    const DIRECTIVES: Record<string, string[]> = {
      Unit: ['Description', 'Documentation', 'Wants', 'After'],
      Service: [
        'Type',
        'User',
        'Group',
        'StateDirectory',
        'StateDirectoryMode',
        'WorkingDirectory',
        'EnvironmentFile',
        'LoadCredential',
        'Environment',
        'ExecStart',
        'KillSignal',
        'TimeoutStopSec',
        'Restart',
        'RestartSec',
        'LimitNOFILE',
        'UMask',
        'NoNewPrivileges',
        'PrivateTmp',
        'PrivateDevices',
        'ProtectSystem',
        'ProtectHome',
        'ProtectKernelTunables',
        'ProtectKernelModules',
        'ProtectControlGroups',
        'RestrictAddressFamilies',
        'RestrictNamespaces',
        'RestrictRealtime',
        'LockPersonality',
        'CapabilityBoundingSet',
        'SystemCallFilter',
        'SystemCallErrorNumber',
        'SystemCallArchitectures',
        'ProtectClock',
        'ProtectHostname',
        'ProtectKernelLogs',
        'ProtectProc',
        'RestrictSUIDSGID',
        'RemoveIPC',
      ],
      Install: ['WantedBy'],
    };
    let section = '';
    const values = new Map<string, string>();
    for (const line of lines('evidence-studio.service')) {
      const heading = /^\[(\w+)\]$/.exec(line)?.[1];
      if (heading !== undefined) section = heading;
      else {
        const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
        expect(DIRECTIVES[section], `${line} in [${section}]`).toContain(name);
        values.set(name, value);
      }
    }
    expect([
      values.get('KillSignal'),
      Number(values.get('TimeoutStopSec')) > 10,
      values.get('NoNewPrivileges'),
      values.get('User'),
    ]).toEqual(['SIGTERM', true, 'true', 'evidence-studio']);
    // What V8 makes at run time is executable memory.
    expect(read('evidence-studio.service')).not.toContain('MemoryDenyWriteExecute');
    expect(existsSync(path.join(ROOT, 'bin/evidence-studio.js'))).toBe(true);
  });

  it('has a Dockerfile of this Node, that copies what is there, runs as nobody special and is told to stop by SIGTERM', () => {
    expect(
      validate(read('Dockerfile'), {
        instructionCmdMultiple: ValidationSeverity.ERROR,
        instructionEntrypointMultiple: ValidationSeverity.ERROR,
        instructionHealthcheckMultiple: ValidationSeverity.ERROR,
        instructionWorkdirRelative: ValidationSeverity.ERROR,
      }),
    ).toEqual([]);
    const instructions = read('Dockerfile')
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const of = (word: string): string[] =>
      instructions
        .filter((line) => line.startsWith(`${word} `))
        .map((line) => line.slice(word.length + 1));
    const stages = of('FROM').map((image) => / AS (\w+)$/.exec(image)?.[1]);
    for (const [, stage] of read('Dockerfile').matchAll(/--from=(\S+)/g))
      expect(stages).toContain(stage);
    for (const image of of('FROM'))
      expect(image).toMatch(new RegExp(`^node:${devDependencies.node}-`));
    for (const from of of('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1)))
      expect(existsSync(path.join(ROOT, from)), from).toBe(true);
    expect([of('USER'), of('STOPSIGNAL'), of('EXPOSE'), JSON.parse(of('ENTRYPOINT')[0]!)]).toEqual([
      ['node'],
      ['SIGTERM'],
      [String(DEFAULT_PORT)],
      ['node', 'bin/evidence-studio.js'],
    ]);
    expect(of('ENV')[0]).toContain(`EVIDENCE_STUDIO_PORT=${DEFAULT_PORT}`);
    expect(instructions.findIndex((line) => line.startsWith('USER'))).toBeLessThan(
      instructions.findIndex((line) => line.startsWith('CMD')),
    );
    expect(read('Dockerfile.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['.git', 'node_modules', '**/.env', 'deploy/secret']),
    );
  });

  it('has a compose file whose names all lead somewhere, that publishes the proxy alone and holds no secret', () => {
    type Service = Record<
      | 'image'
      | 'build'
      | 'environment'
      | 'volumes'
      | 'networks'
      | 'depends_on'
      | 'ports'
      | 'secrets',
      any
    >;
    type Network = { internal?: string; ipam?: { config: string[] } };
    const compose = readPlainYaml(read('compose.yaml')) as unknown as {
      services: Record<string, Service>;
      networks: Record<string, Network>;
      volumes: Record<string, string>;
      secrets: Record<string, { file: string }>;
    };
    const SERVICE = [
      'image',
      'build',
      'restart',
      'environment',
      'volumes',
      'networks',
      'depends_on',
      'ports',
      'healthcheck',
      'secrets',
      'read_only',
      'tmpfs',
      'cap_drop',
      'security_opt',
      'stop_grace_period',
    ];
    for (const [name, service] of Object.entries(compose.services)) {
      for (const key of Object.keys(service)) expect(SERVICE, `${key} of ${name}`).toContain(key);
      expect(service.image ?? service.build.dockerfile).toMatch(
        /^(?:[a-z]+:\d+|deploy\/Dockerfile)$/,
      );
      for (const other of Array.isArray(service.depends_on)
        ? service.depends_on
        : Object.keys(service.depends_on ?? {}))
        expect(compose.services).toHaveProperty(other);
      for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty(secret);
      for (const mount of (service.volumes ?? []) as string[]) {
        const from = mount.split(':')[0]!;
        if (from.startsWith('./'))
          expect(existsSync(path.join(ROOT, 'deploy', from)), from).toBe(true);
        else expect(compose.volumes).toHaveProperty(from);
      }
    }
    const on = (network: string): string[] =>
      Object.entries(compose.services)
        .filter(([, { networks }]) => networks.includes(network))
        .map(([name]) => name);
    expect(
      Object.fromEntries(Object.keys(compose.networks).map((name) => [name, on(name)])),
    ).toEqual({ front: ['studio', 'proxy'], back: ['database', 'studio'] });
    // Believed are the proxy's network and nobody else's, and it is small.
    const trusted = compose.services['studio']!.environment[
      'EVIDENCE_STUDIO_TRUSTED_PROXIES'
    ] as string;
    expect(compose.networks['front']!.ipam!.config).toEqual([`subnet: ${trusted}`]);
    expect(parseNetwork(trusted)!.prefix).toBeGreaterThanOrEqual(24);
    expect(
      Object.entries(compose.services)
        .filter(([, service]) => service.ports !== undefined)
        .map(([name]) => name),
    ).toEqual(['proxy']);
    for (const [, value] of read('compose.yaml').matchAll(/(?:PASSWORD|HOST_NAME): (.+)/g))
      expect(value).toMatch(/^\$\{\w+:\?\}$/);
    expect(read('compose.yaml')).not.toMatch(/postgres:\/\/\w+:(?!\$\{)/);
    expect(compose.services['studio']!.environment['EVIDENCE_STUDIO_SECRET_FILE']).toBe(
      '/run/secrets/studio_secret',
    );
    expect(read('Caddyfile')).toContain(`studio:${DEFAULT_PORT}`);
  });

  it('has files of two machines with PostgreSQL that fit each other, and that acknowledge no commit of one alone', () => {
    type Machine = { listen: string; connect_address: string };
    const patroni = readPlainYaml(read('patroni.yml')) as unknown as {
      etcd3: { hosts: string };
      restapi: Machine;
      bootstrap: { dcs: Record<string, string> & { postgresql: Record<string, unknown> } };
      postgresql: Machine;
    };
    const { dcs } = patroni.bootstrap;
    expect([dcs['synchronous_mode'], dcs.postgresql['use_pg_rewind']]).toEqual(['true', 'true']);
    // Patroni asks for this, or takes other times.
    expect(Number(dcs['ttl'])).toBeGreaterThanOrEqual(
      Number(dcs['loop_wait']) + 2 * Number(dcs['retry_timeout']),
    );
    for (const { listen, connect_address } of [patroni.restapi, patroni.postgresql])
      expect(listen).toBe(connect_address);
    const haproxy = read('haproxy-postgres.cfg');
    const servers = [...haproxy.matchAll(/^ {4}server \w+ (\S+)$/gm)].map(([, server]) => server);
    expect(servers).toHaveLength(2);
    expect(servers).toContain(patroni.postgresql.connect_address);
    expect(haproxy).toContain(`check port ${patroni.restapi.listen.split(':')[1]} `);
    expect(haproxy).toContain('on-marked-down shutdown-sessions');
    const members = /^ETCD_INITIAL_CLUSTER=(.+)$/m.exec(read('etcd.env'))?.[1];
    expect(members?.match(/\d+\.\d+\.\d+\.\d+/g)).toEqual(
      patroni.etcd3.hosts.match(/\d+\.\d+\.\d+\.\d+/g),
    );
  });
});
