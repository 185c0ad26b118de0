import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from '../../../test/e2e/free-port.ts';
import type { RehearsalPrograms } from './programs.ts';
import type { Session } from './session.ts';

export interface Registries {
  /** `127.0.0.1:PORT`, over HTTP. */
  images: string;
  /** Where the registry of images keeps them. */
  imageFolder: string;
  /** `127.0.0.1:PORT`, over HTTP. */
  packages: string;
  /** Where the registry of packages keeps the archives. */
  packageFolder: string;
}

const READY_MS = 60_000;

/** Folder of all that the registries of a session hold. */
export const registriesIn = ({ folder }: Pick<Session, 'folder'>): string => join(folder, 'registries');

/**
 * A registry of images and one of packages, on loopback and with nothing behind them: only pushed content can be had. `known`: addresses of registries that
 * have already filled the folder.
 */
export async function startRegistries(
  { registry, verdaccio }: Pick<RehearsalPrograms, 'registry' | 'verdaccio'>,
  session: Pick<Session, 'folder' | 'start'>,
  known?: Pick<Registries, 'images' | 'packages'>,
): Promise<Registries> {
  const folder = registriesIn(session);
  const images = known?.images ?? `127.0.0.1:${await freePort()}`;
  const packages = known?.packages ?? `127.0.0.1:${await freePort()}`;
  const packageFolder = join(folder, 'packages');
  const imageFolder = join(folder, 'images');
  mkdirSync(packageFolder, { recursive: true });
  const imageSettings = join(folder, 'registry.yaml');
  writeFileSync(
    imageSettings,
    stringify({
      version: 0.1,
      log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: imageFolder } },
      http: { addr: images },
    }),
  );
  const packageSettings = join(folder, 'verdaccio.yaml');
  writeFileSync(
    packageSettings,
    stringify({
      storage: packageFolder,
      // Without uplinks no request goes outside; anyone may publish, since only this machine reaches it.
      uplinks: {},
      packages: { '**': { access: '$all', publish: '$all' } },
      auth: { htpasswd: { file: join(folder, 'htpasswd') } },
      log: { type: 'stdout', format: 'json', level: 'error' },
    }),
  );
  const log = (name: string): string => join(folder, `${name}.log`);
  const untraced = { ...process.env, OTEL_TRACES_EXPORTER: 'none' };
  const imageServer = session.start(registry, ['serve', imageSettings], log('images'), untraced);
  const packageServer = session.start(
    process.execPath,
    [verdaccio, '--config', packageSettings, '--listen', `http://${packages}`],
    log('packages'),
  );
  await Promise.all([
    answers(`http://${images}/v2/`, imageServer, log('images')),
    answers(`http://${packages}/-/ping`, packageServer, log('packages')),
  ]);
  return { images, imageFolder, packages, packageFolder };
}

async function answers(url: string, child: ChildProcess, log: string): Promise<void> {
  const bound = Date.now() + READY_MS;
  for (;;) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === 200) return;
    if (child.exitCode !== null)
      throw new Error(`${url}: the registry ended by itself, with code ${child.exitCode}:\n${readFileSync(log, 'utf8')}`);
    if (Date.now() > bound) throw new Error(`${url} did not answer within ${READY_MS / 1000} s`);
    await sleep(100);
  }
}
