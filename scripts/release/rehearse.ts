/**
 * Runs a release of Serin to its end, on this machine: `npm run release:rehearse`. Its registries are on loopback, and a key of the rehearsal signs. The steps
 * are those of the forge's workflow. Then the released files are tampered with, and the verification of docs/releasing.md has to notice it. The steps and each
 * refusal are compared with the docs; with `RECORD=1` they are recorded for them.
 */
import { copyFileSync, cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { MissingToolError } from '../e2e-tools.ts';
import { userNames } from './rehearsal/environment.ts';
import { firstRelease } from './rehearsal/first-release.ts';
import { type MadeRelease, makeRelease } from './rehearsal/made-release.ts';
import { differences, type Recorded, readRecorded, writeRecorded } from './rehearsal/recorded.ts';
import { Session } from './rehearsal/session.ts';
import { type Refusal, refusalOf } from './rehearsal/tampering.ts';
import { tamperings } from './rehearsal/tamperings.ts';
import { Transcript } from './rehearsal/transcript.ts';
import { comparedBuilds } from './rehearsal/twice.ts';
import { documentedVerifications, verify } from './rehearsal/verification.ts';

/** Makes executable, image and files once more, and compares the bytes. */
async function again(session: Session, transcript: Transcript, { folder, env, executable, step }: MadeRelease): Promise<Recorded['twice']> {
  const other = join(session.folder, 'again', 'files');
  const settings = { ...env, RELEASE_FOLDER: other };
  await transcript.part('again, to compare the bytes', async () => {
    await executable(other, settings);
    for (const name of ['image', 'files'] as const) await step(name, settings);
  });
  return comparedBuilds(folder, other);
}

/** Tests as a user who has nothing but the registries, the files and the public key, by the commands of docs/releasing.md. */
async function tamper(session: Session, transcript: Transcript, { registries, folder, keys, env }: MadeRelease): Promise<Refusal[]> {
  const downloads = join(session.folder, 'downloads');
  cpSync(folder, downloads, { recursive: true });
  const key = join(downloads, 'cosign.pub');
  copyFileSync(join(keys, 'cosign.pub'), key);
  const others = mkdtempSync(join(session.folder, 'others-'));
  await session.run('cosign', ['generate-key-pair'], others, env);
  const user = { ...env, ...userNames(registries, key) };
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
  const released = await makeRelease(session, transcript);
  const twice = await again(session, transcript, released);
  const refusals = await transcript.part('tampering, each refused by the documented verification', () =>
    tamper(session, transcript, released),
  );
  const { folder, registries, env, programs } = released;
  const charts = `${registries.images}/serin/charts`;
  await transcript.part('a first release, with only the files and the registry', () =>
    firstRelease(session, transcript, { downloads: folder, charts, kubectl: programs.kubectl, env }),
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
