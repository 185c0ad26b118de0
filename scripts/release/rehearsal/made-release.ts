import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { pushBases } from '../../node/bases.ts';
import { type ReleaseStep, steps } from '../steps.ts';
import { preparedCheckout } from './checkout.ts';
import { environment } from './environment.ts';
import { ensureRehearsalPrograms, type RehearsalPrograms } from './programs.ts';
import { type Registries, startRegistries } from './registries.ts';
import type { Session } from './session.ts';
import type { Transcript } from './transcript.ts';

const { version } = manifest;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

export interface MadeRelease {
  programs: RehearsalPrograms;
  registries: Registries;
  bases: { build: string; runtime: string };
  /** The commit that its tag would have. */
  commit: string;
  /** The files in the form in which they are attached. */
  folder: string;
  /** Folder of `cosign.pub`. */
  keys: string;
  env: NodeJS.ProcessEnv;
  /** Runs a program in a checkout and shows the command. */
  run(checkout: string, settings: NodeJS.ProcessEnv, program: string, ...args: string[]): Promise<void>;
  /** Runs one step of the release, with these settings. */
  step(name: ReleaseStep['name'], settings: NodeJS.ProcessEnv): Promise<void>;
  /** Builds the executable of this machine into a folder. */
  executable(into: string, settings: NodeJS.ProcessEnv): Promise<void>;
}

/** Runs a release of the committed state to its end, with registries on loopback that the session ends. */
export async function makeRelease(session: Session, transcript: Transcript): Promise<MadeRelease> {
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
  const executables = join(session.folder, 'executables');
  const keys = join(session.folder, 'keys');
  const env = {
    ...environment(session.folder, programs, registries),
    RELEASE_COMMIT: commit,
    RELEASE_TAG: `v${version}`,
    RELEASE_FOLDER: folder,
    RELEASE_BUILDER: 'https://git.example.com/rehearsal',
    IMAGE_REPOSITORY: `${registries.images}/serin/serin`,
    CHART_REPOSITORY: `${registries.images}/serin/charts`,
    PLATFORMS: 'linux/amd64',
    COSIGN_KEY: join(keys, 'cosign.key'),
    PACKAGE_REGISTRY: `http://${registries.packages}/`,
    PLAIN_HTTP: 'true',
    SERIN_EXECUTABLES: executables,
  };
  const run: MadeRelease['run'] = (where, settings, program, ...args) => {
    transcript.said(`$ ${[program, ...args].join(' ')}`);
    return session.run(program, args, where, settings);
  };
  await transcript.part('npm ci', () => run(checkout, env, 'npm', 'ci', '--ignore-scripts', '--prefer-offline'));
  const executable: MadeRelease['executable'] = async (into, settings) => {
    mkdirSync(into, { recursive: true });
    await run(checkout, settings, 'node', 'scripts/sea.ts');
    for (const file of readdirSync(executables).filter((name) => /\.(?:tar\.gz|zip)$/.test(name)))
      copyFileSync(join(executables, file), join(into, file));
  };
  const step: MadeRelease['step'] = (name, settings) => run(checkout, settings, 'node', 'scripts/release/step.ts', name);
  await transcript.part('an executable for this machine', () => executable(folder, env));
  await transcript.part('a key', async () => {
    mkdirSync(dirname(env.COSIGN_KEY));
    await session.run('cosign', ['generate-key-pair'], keys, env);
  });
  for (const { name, what } of steps) await transcript.part(`${name}: ${what}`, () => step(name, env));
  return { programs, registries, bases, commit, folder, keys, env, run, step, executable };
}
