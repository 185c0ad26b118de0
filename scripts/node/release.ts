/**
 * A release of Serin for the tests of a real node, as its users get it: `node scripts/node/release.ts FOLDER` makes it, with the image and the charts of the
 * previous version beside it, and keeps what its registries hold.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../build-lock.ts';
import { cacheFolder, MissingToolError, makeFolder } from '../e2e-tools.ts';
import { PREVIOUS } from '../older-serin.ts';
import { preparedCheckout } from '../release/rehearsal/checkout.ts';
import { type MadeRelease, makeRelease } from '../release/rehearsal/made-release.ts';
import type { RehearsalPrograms } from '../release/rehearsal/programs.ts';
import { type Registries, registriesIn } from '../release/rehearsal/registries.ts';
import { Session } from '../release/rehearsal/session.ts';
import { Transcript } from '../release/rehearsal/transcript.ts';

/** In the folder of a release: `registries`, `files` and `cosign.pub`. */
export interface KeptRelease {
  folder: string;
  /** Addresses under which its charts name the image, and which its registries have to have. */
  addresses: Pick<Registries, 'images' | 'packages'>;
  /** The commit that its tag would have. */
  commit: string;
  programs: RehearsalPrograms;
}

/** Releases that the cache keeps, the last used first. */
const KEPT = 2;
const ROOT = join(import.meta.dirname, '..', '..');
const DESCRIPTION = 'release.json';

/** Copies the release of the current commit into a folder; `make` runs this file as a program. */
export async function ensureRelease(
  into: string,
  say: (line: string) => void,
  make: (folder: string) => Promise<void>,
): Promise<KeptRelease> {
  const all = cacheFolder('releases');
  makeFolder(all);
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const kept = join(all, commit);
  const folder = join(into, 'release');
  return withLock(join(all, '.lock'), say, async () => {
    if (!existsSync(join(kept, DESCRIPTION))) {
      rmSync(kept, { recursive: true, force: true });
      await make(kept);
    }
    const now = new Date();
    utimesSync(kept, now, now);
    const usedMs = (name: string): number => statSync(join(all, name)).mtimeMs;
    const others = readdirSync(all).filter((name) => name !== commit && !name.startsWith('.'));
    for (const name of others.toSorted((one, other) => usedMs(other) - usedMs(one)).slice(KEPT - 1))
      rmSync(join(all, name), { recursive: true, force: true });
    cpSync(kept, folder, { recursive: true });
    return { ...(JSON.parse(readFileSync(join(kept, DESCRIPTION), 'utf8')) as Omit<KeptRelease, 'folder'>), folder };
  });
}

/** Image and charts of the previous version, by its own Dockerfile, in the registry of this release: `previous/serin`, `previous/charts`. */
async function makePrevious(session: Session, transcript: Transcript, { registries, bases, env, run }: MadeRelease): Promise<void> {
  const checkout = join(session.folder, 'previous');
  const { commit } = preparedCheckout(checkout, bases, PREVIOUS);
  const folder = join(session.folder, 'made-before', 'files');
  mkdirSync(folder, { recursive: true });
  const settings = {
    ...env,
    RELEASE_COMMIT: commit,
    RELEASE_FOLDER: folder,
    IMAGE_REPOSITORY: `${registries.images}/previous/serin`,
    CHART_REPOSITORY: `${registries.images}/previous/charts`,
  };
  await transcript.part(`image and charts of ${PREVIOUS}`, async () => {
    await run(checkout, settings, 'npm', 'ci', '--ignore-scripts', '--prefer-offline');
    for (const name of ['image', 'files', 'charts']) await run(checkout, settings, 'node', 'scripts/release/step.ts', name);
  });
}

async function keep(folder: string): Promise<void> {
  const transcript = new Transcript();
  const session = new Session(transcript);
  try {
    const made = await makeRelease(session, transcript);
    await makePrevious(session, transcript, made);
    // Renamed when it is whole.
    const work = `${folder}.making`;
    rmSync(work, { recursive: true, force: true });
    cpSync(registriesIn(session), join(work, 'registries'), { recursive: true });
    cpSync(made.folder, join(work, 'files'), { recursive: true });
    copyFileSync(join(made.keys, 'cosign.pub'), join(work, 'cosign.pub'));
    const { images, packages } = made.registries;
    const description: Omit<KeptRelease, 'folder'> = { addresses: { images, packages }, commit: made.commit, programs: made.programs };
    writeFileSync(join(work, DESCRIPTION), JSON.stringify(description));
    renameSync(work, folder);
    transcript.end();
  } finally {
    await session.end();
  }
}

if (import.meta.main) {
  const [, , folder] = process.argv;
  if (!folder) throw new Error('usage: node scripts/node/release.ts FOLDER');
  try {
    await keep(folder);
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
