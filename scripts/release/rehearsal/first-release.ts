import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from '../../../package.json' with { type: 'json' };
import type { Session } from './session.ts';
import type { Transcript } from './transcript.ts';

const { version } = manifest;
const READY_MS = 120_000;

export interface Artefacts {
  /** Files of the release. */
  downloads: string;
  /** `registry.example.com/serin/charts` */
  charts: string;
  kubectl: string;
  env: NodeJS.ProcessEnv;
}

/**
 * A user's first release, only with the files of a release and its registry: the executable is unpacked and runs a cluster and the controller, the manifest of
 * the quick start comes from the package, and the chart from the registry. Throws if the new version is not promoted.
 */
export async function firstRelease(
  session: Session,
  transcript: Transcript,
  { downloads, charts, kubectl, env }: Artefacts,
): Promise<void> {
  const folder = join(session.folder, 'user');
  mkdirSync(folder);
  // Neither Node nor anything of the checkout.
  const path = [dirname(kubectl), join(session.folder, 'bin'), '/usr/bin', '/bin'].join(':');
  const user: NodeJS.ProcessEnv = { ...env, PATH: path, HOME: folder };
  const run = (program: string, ...args: string[]) => {
    transcript.said(`$ ${[program, ...args].join(' ')}`);
    return session.run(program, args, folder, user);
  };
  const start = (name: string, ...args: string[]) => {
    transcript.said(`$ ./serin ${[name, ...args].join(' ')} &`);
    return session.start(join(folder, 'serin'), [name, ...args], join(folder, `${name}.log`), user);
  };
  await run('tar', '-xzf', join(downloads, `serin-${version}-linux-amd64.tar.gz`));
  await run('tar', '-xzf', join(downloads, `serin-${version}.tgz`), 'package/docs/quick-start.yaml');
  start('cluster', '--env', join(folder, 'cluster.env'));
  Object.assign(user, await exported(join(folder, 'cluster.env')));
  await run('kubectl', 'apply', '-f', 'package/docs/quick-start.yaml');
  start('controller', '--mesh-provider', 'kubernetes', '--metrics-server', user.PROMETHEUS ?? '', '--port', '0');
  await run('./serin', 'wait', 'shop', '--namespace', 'quick-start', '--for', 'initialized', '--timeout', '5m');
  await run('kubectl', 'set', 'image', 'deployment/shop', 'web=ghcr.io/stefanprodan/podinfo:6.9.2', '--namespace', 'quick-start');
  await run('./serin', 'wait', 'shop', '--namespace', 'quick-start', '--revision', 'target', '--timeout', '5m');
  await run(
    'helm',
    'install',
    'serin',
    `oci://${charts}/serin`,
    '--version',
    version,
    '--plain-http',
    '--namespace',
    'serin',
    '--create-namespace',
  );
  const image = ['get', 'deployment', 'serin', '-n', 'serin', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'];
  const installed = execFileSync(kubectl, image, { env: user, encoding: 'utf8' });
  if (!/@sha256:[0-9a-f]{64}$/.test(installed))
    throw new Error(`the chart of the release starts ${installed}, which is not an image by its digest`);
  await run('helm', 'uninstall', 'serin', '--namespace', 'serin');
}

/** Exports of a file for a shell, once it exists. */
async function exported(file: string): Promise<NodeJS.ProcessEnv> {
  const bound = Date.now() + READY_MS;
  while (!existsSync(file)) {
    if (Date.now() > bound) throw new Error(`${file} was not written within ${READY_MS / 1000} s`);
    await sleep(200);
  }
  const lines = execFileSync('bash', ['--norc', '-c', '. "$0" && env -0', file], { env: {}, encoding: 'utf8' }).split('\0');
  return Object.fromEntries(lines.filter((line) => line.includes('=')).map((line) => line.split(/=(.*)/s, 2)));
}
