import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root, run, timeOf } from './run.ts';
import { besideFiles, type PushedImage, type ReleaseSettings } from './settings.ts';

/**
 * Builds the image of each platform by the Dockerfile and pushes them as one index, which the digest is of. Nothing is emulated, since the last stage runs
 * nothing. Files have the time of the commit, so that the same commit on the same bases gives the same layers.
 */
export function pushImage(settings: ReleaseSettings): void {
  const { version, commit, imageRepository, platforms, bases, isPlainHttp } = settings;
  const index = `serin-release-${commit.slice(0, 12)}`;
  const buildah = (...words: string[]) => run('buildah', words);
  const args = { VERSION: version, REVISION: commit, BUILD_IMAGE: bases.build, RUNTIME_IMAGE: bases.runtime };
  if (exists('buildah', ['manifest', 'exists', index])) buildah('manifest', 'rm', index);
  buildah(
    ...['build', '--manifest', index, '--platform', platforms.join(','), '--timestamp', String(timeOf(commit)), '--layers=false'],
    ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...['--file', join(root, 'Dockerfile'), root],
  );
  // Into a folder first: the digest is then known before anything is pushed, and does not come from the registry.
  const layout = besideFiles(settings, 'image');
  rmSync(layout, { recursive: true, force: true });
  buildah('manifest', 'push', '--quiet', '--all', index, `oci:${layout}:${version}`);
  const how = ['--quiet', '--all', '--preserve-digests', ...(isPlainHttp ? ['--dest-tls-verify=false'] : [])];
  run('skopeo', ['copy', ...how, `oci:${layout}:${version}`, `docker://${imageRepository}:${version}`]);
  const pushed: PushedImage = { repository: imageRepository, digest: digestIn(layout) };
  writeFileSync(besideFiles(settings, 'image.json'), JSON.stringify(pushed));
  process.stdout.write(`pushed ${pushed.repository}@${pushed.digest}\n`);
}

/** Digest of the one index in a folder of OCI's layout. */
function digestIn(layout: string): string {
  const Index = z.object({ manifests: z.tuple([z.object({ digest: z.string() })]) });
  return Index.parse(JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'))).manifests[0].digest;
}

function exists(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
