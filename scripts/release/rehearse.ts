/**
 * Runs a release of Serin to its end, on this machine: `npm run release:rehearse`. Its registries are on loopback, and a key of the rehearsal signs. The steps
 * are those of the forge's workflow. Then the released files are tampered with, and the verification of docs/releasing.md has to notice it. The steps and each
 * refusal are compared with the docs; with `RECORD=1` they are recorded for them.
 */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { MissingToolError } from '../e2e-tools.ts';
import { pushBases } from '../node/bases.ts';
import { preparedCheckout } from './rehearsal/checkout.ts';
import { firstRelease } from './rehearsal/first-release.ts';
import { ensureRehearsalPrograms, type RehearsalPrograms } from './rehearsal/programs.ts';
import { differences, type Recorded, readRecorded, writeRecorded } from './rehearsal/recorded.ts';
import { type Registries, startRegistries } from './rehearsal/registries.ts';
import { Session } from './rehearsal/session.ts';
import { type Refusal, refusalOf } from './rehearsal/tampering.ts';
import { tamperings } from './rehearsal/tamperings.ts';
import { Transcript } from './rehearsal/transcript.ts';
import { comparedBuilds } from './rehearsal/twice.ts';
import { documentedVerifications, verify } from './rehearsal/verification.ts';
import { type ReleaseStep, steps } from './steps.ts';

const { version } = manifest;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Settings of the programs that a release calls, so that none reads or writes those of the user. */
function environment(session: Session, programs: RehearsalPrograms, { images, packages }: Registries): NodeJS.ProcessEnv {
  const home = join(session.folder, 'home');
  const bin = join(session.folder, 'bin');
  const temporary = join(session.folder, 'tmp');
  for (const folder of [home, bin, temporary]) mkdirSync(folder);
  for (const [name, program] of [
    ['cosign', programs.cosign],
    ['helm', programs.helm],
  ] as const)
    symlinkSync(program, join(bin, name));
  const storage = join(session.folder, 'storage');
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

interface Released {
  registries: Registries;
  /** The files in the form in which they are attached. */
  folder: string;
  /** Folder of `cosign.pub`. */
  keys: string;
  env: NodeJS.ProcessEnv;
  twice: Recorded['twice'];
  kubectl: string;
}

async function release(session: Session, transcript: Transcript): Promise<Released> {
  const programs = await transcript.part('programs, from the cache or built into it', () => ensureRehearsalPrograms(say));
  const registries = await transcript.part('registries on loopback', () => startRegistries(programs, session));
  transcript.name([
    [registries.images, 'registry.example'],
    [registries.packages, 'packages.example'],
    [session.folder, '/rehearsal'],
    [process.execPath, 'node'],
  ]);
  const bases = await transcript.part('the two bases of the image, by digest', () => pushBases(registries.images, say));
  const checkout = join(session.folder, 'checkout');
  const folder = join(session.folder, 'made', 'files');
  mkdirSync(folder, { recursive: true });
  const { commit } = preparedCheckout(checkout, bases);
  const env = {
    ...environment(session, programs, registries),
    RELEASE_COMMIT: commit,
    RELEASE_TAG: `v${version}`,
    RELEASE_FOLDER: folder,
    RELEASE_BUILDER: 'https://git.example.com/rehearsal',
    IMAGE_REPOSITORY: `${registries.images}/serin/serin`,
    CHART_REPOSITORY: `${registries.images}/serin/charts`,
    PLATFORMS: 'linux/amd64',
    COSIGN_KEY: join(session.folder, 'keys', 'cosign.key'),
    PACKAGE_REGISTRY: `http://${registries.packages}/`,
    PLAIN_HTTP: 'true',
    SERIN_EXECUTABLES: join(session.folder, 'executables'),
  };
  const run = (settings: NodeJS.ProcessEnv, program: string, ...args: string[]) => {
    transcript.said(`$ ${[program, ...args].join(' ')}`);
    return session.run(program, args, checkout, settings);
  };
  await transcript.part('npm ci', () => run(env, 'npm', 'ci', '--ignore-scripts', '--prefer-offline'));
  const executable = async (into: string, settings: NodeJS.ProcessEnv = env) => {
    mkdirSync(into, { recursive: true });
    await run(settings, 'node', 'scripts/sea.ts');
    for (const file of readdirSync(env.SERIN_EXECUTABLES).filter((name) => /\.(?:tar\.gz|zip)$/.test(name)))
      copyFileSync(join(env.SERIN_EXECUTABLES, file), join(into, file));
  };
  const step = (name: ReleaseStep['name'], settings: NodeJS.ProcessEnv = env) => run(settings, 'node', 'scripts/release/step.ts', name);
  await transcript.part('an executable for this machine', () => executable(folder));
  const keys = dirname(env.COSIGN_KEY);
  await transcript.part('a key', async () => {
    mkdirSync(keys);
    await session.run('cosign', ['generate-key-pair'], keys, env);
  });
  for (const { name, what } of steps) await transcript.part(`${name}: ${what}`, () => step(name));
  const again = join(session.folder, 'again', 'files');
  const second = { ...env, RELEASE_FOLDER: again };
  await transcript.part('again, to compare the bytes', async () => {
    await executable(again, second);
    for (const name of ['image', 'files'] as const) await step(name, second);
  });
  return { registries, folder, keys, env, twice: comparedBuilds(folder, again), kubectl: programs.kubectl };
}

/** Tests as a user who has nothing but the registries, the files and the public key, by the commands of docs/releasing.md. */
async function tamper(session: Session, transcript: Transcript, { registries, folder, keys, env }: Released): Promise<Refusal[]> {
  const downloads = join(session.folder, 'downloads');
  cpSync(folder, downloads, { recursive: true });
  const key = join(downloads, 'cosign.pub');
  copyFileSync(join(keys, 'cosign.pub'), key);
  const others = mkdtempSync(join(session.folder, 'others-'));
  await session.run('cosign', ['generate-key-pair'], others, env);
  const user = {
    ...env,
    VERSION: version,
    IMAGE: `${registries.images}/serin/serin:${version}`,
    CHARTS: `${registries.images}/serin/charts`,
    PACKAGES: `http://${registries.packages}/`,
    // The public log of signatures is the forge's: a rehearsal has none.
    SIGNER: `--key ${key} --insecure-ignore-tlog=true`,
  };
  const verifications = documentedVerifications();
  const refusals: Refusal[] = [];
  for (const tampering of tamperings({ registries, folder: downloads, key, otherKey: join(others, 'cosign.pub') })) {
    const commands = verifications.get(tampering.verification);
    if (commands === undefined) throw new Error(`docs/releasing.md has no block verify=${tampering.verification}`);
    const { words, ...rest } = await refusalOf(tampering, () => {
      // Nothing that an earlier look has fetched.
      const fresh = mkdtempSync(join(session.folder, 'fresh-'));
      verify('buildah rmi --all --force', downloads, user);
      return verify(commands, downloads, { ...user, npm_config_cache: fresh });
    });
    const refusal = { ...rest, words: words.map((line) => transcript.plain(line)) };
    process.stdout.write(`refused: ${refusal.what}\n${refusal.words.map((line) => `  ${line}\n`).join('')}`);
    refusals.push(refusal);
  }
  return refusals;
}

const transcript = new Transcript();
const session = new Session(transcript);
try {
  const released = await release(session, transcript);
  const refusals = await transcript.part('tampering, each refused by the documented verification', () =>
    tamper(session, transcript, released),
  );
  const { twice, folder, registries, env, kubectl } = released;
  const charts = `${registries.images}/serin/charts`;
  await transcript.part('a first release, with only the files and the registry', () =>
    firstRelease(session, transcript, { downloads: folder, charts, kubectl, env }),
  );
  transcript.end();
  if (process.env.RECORD === '1') writeRecorded({ transcript: transcript.lines, refusals, twice });
  else
    for (const difference of differences({ refusals, twice }, readRecorded())) {
      process.stderr.write(`${difference}\n\nRECORD=1 npm run release:rehearse records it for the docs.\n`);
      process.exitCode = 1;
    }
} catch (error) {
  if (!(error instanceof MissingToolError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await session.end();
}
