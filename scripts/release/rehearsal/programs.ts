import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../build-lock.ts';
import { ensureBinaries, ensurePackaged } from '../../e2e-binaries.ts';
import { ensureGoTool, ensureHelm } from '../../e2e-go-tool.ts';
import { cacheFolder, MissingToolError, makeFolder, run } from '../../e2e-tools.ts';
import { root } from '../run.ts';

const PURPOSE = 'a rehearsal of a release';

export interface RehearsalPrograms {
  cosign: string;
  registry: string;
  helm: string;
  kubectl: string;
  /** Script of verdaccio, for Node. */
  verdaccio: string;
}

/** Programs that a rehearsal needs besides Node, git and npm: built or fetched once, into the user's cache folder. */
export async function ensureRehearsalPrograms(say: (line: string) => void): Promise<RehearsalPrograms> {
  for (const name of ['buildah', 'skopeo', 'jq']) await ensurePackaged(name, `${PURPOSE} needs ${name}: put it on the PATH`, say);
  return {
    cosign: await ensureGoTool(
      {
        name: 'cosign',
        module: 'github.com/sigstore/cosign/v3',
        package: 'github.com/sigstore/cosign/v3/cmd/cosign',
        purpose: `${PURPOSE} signs with cosign`,
      },
      say,
    ),
    registry: await ensureGoTool(
      {
        name: 'distribution',
        folder: 'registry',
        module: 'github.com/distribution/distribution/v3',
        package: 'github.com/distribution/distribution/v3/cmd/registry',
        purpose: `${PURPOSE} pushes to an image registry`,
      },
      say,
    ),
    helm: await ensureHelm(say),
    kubectl: join((await ensureBinaries(say)).dir, 'kubectl'),
    verdaccio: await ensureVerdaccio(say),
  };
}

async function ensureVerdaccio(say: (line: string) => void): Promise<string> {
  const pinned = join(root, 'test', 'release', 'verdaccio');
  const folder = cacheFolder('verdaccio');
  const script = join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  makeFolder(folder);
  await withLock(join(folder, '.lock'), say, async () => {
    if (existsSync(script)) return;
    say('fetching verdaccio');
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(pinned, file), join(folder, file));
    const { code, output } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
    if (code !== 0) throw new MissingToolError(`${PURPOSE} publishes to verdaccio, which npm cannot fetch:\n${output.slice(-2000)}`);
  });
  return script;
}
