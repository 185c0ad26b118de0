import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { RehearsalPrograms } from './programs.ts';
import type { Registries } from './registries.ts';

const { version } = manifest;

/** Settings of the programs that a release and its users call, in this folder, so that none reads or writes those of the user. */
export function environment(
  folder: string,
  programs: Pick<RehearsalPrograms, 'cosign' | 'helm'>,
  { images, packages }: Pick<Registries, 'images' | 'packages'>,
): NodeJS.ProcessEnv {
  const home = join(folder, 'home');
  const bin = join(folder, 'bin');
  const temporary = join(folder, 'tmp');
  for (const each of [home, bin, temporary]) mkdirSync(each, { recursive: true });
  for (const [name, program] of [
    ['cosign', programs.cosign],
    ['helm', programs.helm],
  ] as const)
    symlinkSync(program, join(bin, name));
  const storage = join(folder, 'storage');
  writeFileSync(join(home, 'storage.conf'), `[storage]\ndriver = "overlay"\ngraphroot = "${storage}/root"\nrunroot = "${storage}/run"\n`);
  writeFileSync(join(home, 'registries.conf'), `[[registry]]\nlocation = "${images}"\ninsecure = true\n`);
  writeFileSync(join(home, 'config.json'), '{}');
  // npm requires a token before it publishes; the registry takes any.
  writeFileSync(join(home, '.npmrc'), `//${packages}/:_authToken=of-a-rehearsal\n`);
  return {
    ...process.env,
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(':'),
    TMPDIR: temporary,
    NPM_CONFIG_USERCONFIG: join(home, '.npmrc'),
    CONTAINERS_STORAGE_CONF: join(home, 'storage.conf'),
    CONTAINERS_REGISTRIES_CONF: join(home, 'registries.conf'),
    BUILDAH_ISOLATION: 'chroot',
    DOCKER_CONFIG: home,
    HELM_CACHE_HOME: join(home, 'helm'),
    HELM_CONFIG_HOME: join(home, 'helm'),
    HELM_DATA_HOME: join(home, 'helm'),
    COSIGN_PASSWORD: '',
    TUF_ROOT: join(home, 'tuf'),
  };
}

/** Names that the commands of docs/releasing.md use, of a user who has this public key. */
export const userNames = ({ images, packages }: Pick<Registries, 'images' | 'packages'>, key: string) => ({
  VERSION: version,
  IMAGE: `${images}/serin/serin:${version}`,
  CHARTS: `${images}/serin/charts`,
  PACKAGES: `http://${packages}/`,
  // The public log of signatures is the forge's: a rehearsal has none.
  SIGNER: `--key ${key} --insecure-ignore-tlog=true`,
});
