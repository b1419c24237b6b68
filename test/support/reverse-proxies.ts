/**
 * The proxies of deploy/, run as they are before instances on this machine: addresses, ports,
 * certificate and where a program keeps its files are put in, nothing else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import tls from 'node:tls';
import { findOpenssl, selfSigned } from './certificate.ts';
import { findProgram } from './find-program.ts';
import { freePort } from './postgres.ts';
import { ROOT } from './served.ts';

/**
 * The name in deploy/nginx.conf. Nobody looks it up: who wants it connects to a port of this
 * machine.
 */
export const HOST_NAME = 'studio.example.org';

export interface ReverseProxy {
  /** Of https, and of http. */
  port: number;
  plainPort: number;
  /** Who vouches for its certificate. */
  ca: string;
  output(): string;
  stop(): Promise<void>;
}
/** Programs, or undefined where one is missing. */
export interface Programs {
  nginx: string;
  caddy: string;
}
const findNginx = (): string | undefined =>
  findProgram({
    variable: 'NGINX_PATH',
    places: () => ['/usr/sbin/nginx', '/usr/local/sbin/nginx'],
    debian: 'nginx',
  });
export function findPrograms(): Programs | undefined {
  const nginx = findNginx();
  const caddy = findProgram({
    variable: 'CADDY_PATH',
    places: () => ['/usr/bin/caddy', '/usr/local/bin/caddy'],
    debian: 'caddy',
  });
  return nginx === undefined || caddy === undefined || findOpenssl() === undefined
    ? undefined
    : { nginx, caddy };
}

/** Those that keep accounts at one instance, or undefined where one is missing. */
export interface StickyPrograms {
  nginx: string;
  haproxy: string;
}
export function findStickyPrograms(): StickyPrograms | undefined {
  const nginx = findNginx();
  const haproxy = findProgram({
    variable: 'HAPROXY_PATH',
    places: () => ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'],
    debian: 'haproxy',
  });
  return nginx === undefined || haproxy === undefined || findOpenssl() === undefined
    ? undefined
    : { nginx, haproxy };
}

/** Each of these is there, once, and becomes the other. */
function replaceEach(file: string, replacements: Record<string, string>): string {
  let text = readFileSync(path.join(ROOT, 'deploy', file), 'utf8');
  for (const [from, to] of Object.entries(replacements)) {
    if (text.split(from).length !== 2) throw new Error(`${file} has not exactly one ${from}.`);
    text = text.replace(from, () => to);
  }
  return text;
}

/**
 * Whether it speaks, under a certificate that `ca` vouches for; rejects where that has not been
 * made yet.
 */
function greets(port: number, ca: () => string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, servername: HOST_NAME, ca: ca() }, () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}

async function start(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd: string },
  ports: { port: number; plainPort: number },
  ca: () => string,
): Promise<ReverseProxy> {
  const child = spawn(program, args, {
    ...options,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const kill = (): unknown => child.kill('SIGKILL');
  process.once('exit', kill);
  let ended: string | undefined;
  const gone = once(child, 'exit').then(
    ([code]) => (ended = `ended with ${code}`),
    (error: Error) => (ended = error.message),
  );
  while (!(await greets(ports.port, ca).catch(() => false))) {
    if (ended !== undefined) throw new Error(`${program}: ${ended} ${output}`);
    await wait(20);
  }
  return {
    ...ports,
    ca: ca(),
    output: () => output,
    stop: async () => {
      process.off('exit', kill);
      child.kill('SIGTERM');
      await gone;
    },
  };
}
export async function startNginx(
  { nginx }: Pick<Programs, 'nginx'>,
  folder: string,
  targets: readonly [number, number],
  file = 'nginx.conf',
): Promise<ReverseProxy> {
  mkdirSync(folder);
  const [certificate, key] = [path.join(folder, 'certificate.pem'), path.join(folder, 'key.pem')];
  const made = selfSigned(HOST_NAME);
  writeFileSync(certificate, made.cert);
  writeFileSync(key, made.key);
  const [port, plainPort] = [await freePort(), await freePort()];
  const site = replaceEach(file, {
    '10.0.0.11:4748': `127.0.0.1:${targets[0]}`,
    '10.0.0.12:4748': `127.0.0.1:${targets[1]}`,
    'listen 443 ': `listen 127.0.0.1:${port} `,
    'listen 80;': `listen 127.0.0.1:${plainPort};`,
    '/etc/ssl/studio.example.org.pem': certificate,
    '/etc/ssl/private/studio.example.org.key': key,
  });
  writeFileSync(path.join(folder, 'site.conf'), site);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${name};`)
    .join(' ');
  // Root's workers would be nobody, who may not look into this folder.
  const user = process.getuid?.() === 0 ? 'user root; ' : '';
  writeFileSync(
    path.join(folder, 'main.conf'),
    `daemon off; ${user}pid nginx.pid; error_log stderr warn; worker_processes 1; ` +
      `events {} http { access_log off; ${places} include ${folder}/site.conf; }`,
  );
  return start(
    nginx,
    ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'main.conf')],
    { cwd: folder },
    { port, plainPort },
    () => readFileSync(certificate, 'utf8'),
  );
}

export async function startHaproxy(
  { haproxy }: Pick<StickyPrograms, 'haproxy'>,
  folder: string,
  targets: readonly [number, number],
): Promise<ReverseProxy> {
  mkdirSync(folder);
  const { cert, key } = selfSigned(HOST_NAME);
  const certificate = path.join(folder, 'certificate.pem');
  writeFileSync(certificate, cert + key);
  const [port, plainPort] = [await freePort(), await freePort()];
  const file = path.join(folder, 'haproxy.cfg');
  const site = replaceEach('haproxy.cfg', {
    '10.0.0.11:4748': `127.0.0.1:${targets[0]}`,
    '10.0.0.12:4748': `127.0.0.1:${targets[1]}`,
    'bind :80': `bind 127.0.0.1:${plainPort}`,
    'bind :443 ': `bind 127.0.0.1:${port} `,
    '/etc/haproxy/studio.example.org.pem': certificate,
  });
  writeFileSync(file, site);
  // In the foreground, and of one process.
  const args = ['-db', '-f', file];
  return start(haproxy, args, { cwd: folder }, { port, plainPort }, () => cert);
}

export async function startCaddy(
  { caddy }: Programs,
  folder: string,
  targets: readonly [number, number],
): Promise<ReverseProxy> {
  mkdirSync(folder);
  const [port, plainPort] = [await freePort(), await freePort()];
  const site = replaceEach('Caddyfile', {
    'studio:4748': targets.map((target) => `127.0.0.1:${target}`).join(' '),
  });
  // The certificate comes from an authority of its own, since no other one is asked without a
  // network.
  const here = [
    'admin off',
    `http_port ${plainPort}`,
    `https_port ${port}`,
    'default_bind 127.0.0.1',
    'local_certs',
    'skip_install_trust',
  ].join('\n\t');
  const file = path.join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\t${here}\n}\n${site}`);
  const env = {
    HOST_NAME,
    HOME: folder,
    XDG_DATA_HOME: path.join(folder, 'data'),
    XDG_CONFIG_HOME: path.join(folder, 'config'),
  };
  return start(
    caddy,
    ['run', '--config', file, '--adapter', 'caddyfile'],
    { env, cwd: folder },
    { port, plainPort },
    () => readFileSync(path.join(folder, 'data/caddy/pki/authorities/local/root.crt'), 'utf8'),
  );
}
