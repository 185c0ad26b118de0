import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './build-lock.ts';
import { cacheFolder, isExecutable, MissingToolError, makeFolder, programOnPath } from './e2e-tools.ts';
import { buildProgram } from './go-build.ts';

const MODULE = join(import.meta.dirname, '..', 'test', 'e2e', 'binaries', 'helm');

/**
 * Path of a helm: the one that `HELM` names, or one of the pinned version, which is built once into a cache folder. One on the PATH may be of any
 * version, and is not taken. Throws `MissingToolError` with the ways out.
 */
export async function ensureHelm(say: (line: string) => void = () => undefined): Promise<string> {
  const named = process.env.HELM;
  if (named) {
    if (!isExecutable(named)) throw new MissingToolError(`HELM is ${named}, which is no program: correct or unset the variable`);
    return named;
  }
  const version = pinnedVersion();
  const dir = cacheFolder(`helm-${version}`);
  const helm = join(dir, 'helm');
  if (isExecutable(helm)) return helm;
  if (!programOnPath('go'))
    throw new MissingToolError(
      'the end-to-end tests render the charts with helm: install Go (https://go.dev/dl) so that it can be built, or set HELM to its path',
    );
  makeFolder(dir);
  await withLock(join(dir, '.lock'), say, async () => {
    if (isExecutable(helm)) return;
    // Half-written ones of a run that was cut off.
    for (const file of readdirSync(dir)) if (file.startsWith('.helm.')) rmSync(join(dir, file));
    const stamps = [`helm.sh/helm/v4/internal/version.version=v${version}`];
    await buildProgram(
      { name: 'helm', package: 'helm.sh/helm/v4/cmd/helm', module: MODULE, stamps, insteadSet: 'HELM to its path' },
      dir,
      say,
    );
  });
  return helm;
}

/** `4.3.1`, from the go.mod that pins it. */
function pinnedVersion(): string {
  const version = /^\s*helm\.sh\/helm\/v4 v(\S+)/m.exec(readFileSync(join(MODULE, 'go.mod'), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${MODULE}/go.mod requires no helm`);
  return version;
}
