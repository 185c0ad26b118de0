import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './build-lock.ts';
import { cacheFolder, isExecutable, isReadable, MissingToolError, makeFolder, programOnPath, run } from './e2e-tools.ts';
import { buildProgram } from './go-build.ts';

export interface GoTool {
  /** Name of the program, and of the folder in test/e2e/binaries whose go.mod pins it. */
  name: string;
  /** That folder, if it has another name; an empty name is that of the control plane. */
  folder?: string;
  /** Go module that carries the version. */
  module: string;
  /** Path of the main package. */
  package: string;
  /** `-X` of the linker, given the version. */
  stamps?(version: string): readonly string[];
  /** Files that are built as if they existed, by their paths within the folder: the files that contain their text. */
  overlay?(module: string): Promise<ReadonlyMap<string, string>>;
  /** Use of the tool, as in "the end-to-end tests render the charts with helm". */
  purpose: string;
}

/**
 * Path of a Go program: from its variable (`HELM`, `FLAGGER`), or a program of the pinned version, which is built once into a cache folder. A program on the
 * PATH can be of any version, and is not used. Throws `MissingToolError` with the remedies.
 */
export async function ensureGoTool(tool: GoTool, say: (line: string) => void): Promise<string> {
  const { name } = tool;
  const variable = name.toUpperCase().replaceAll('-', '_');
  const named = process.env[variable];
  if (named) {
    if (!isExecutable(named)) throw new MissingToolError(`${variable} is ${named}, which is not a program: correct or unset the variable`);
    return named;
  }
  const { module, version, cache: dir } = toolFolders(tool);
  const program = join(dir, name);
  if (isExecutable(program)) return program;
  if (!programOnPath('go'))
    throw new MissingToolError(`${tool.purpose}: install Go (https://go.dev/dl) so that it can be built, or set ${variable} to its path`);
  makeFolder(dir);
  await withLock(join(dir, '.lock'), say, async () => {
    if (isExecutable(program)) return;
    // Half-written ones of a run that was cut off.
    for (const file of readdirSync(dir)) if (file.startsWith(`.${name}.`)) rmSync(join(dir, file));
    const stamps = tool.stamps?.(version) ?? [];
    const overlay = await tool.overlay?.(module);
    await buildProgram({ name, package: tool.package, module, stamps, overlay, insteadSet: `${variable} to its path` }, dir, say);
  });
  return program;
}

/** The folder whose go.mod pins a tool, and the folder of its program. */
export function toolFolders({ name, folder = name, module: path }: GoTool): { module: string; version: string; cache: string } {
  const module = join(import.meta.dirname, '..', 'test', 'e2e', 'binaries', folder);
  const version = pinnedVersion(module, path);
  return { module, version, cache: cacheFolder(`${name}-${version}`) };
}

/** The sources of a Go module at the version that a folder's go.mod pins. */
export async function moduleSources(folder: string, module: string, purpose: string): Promise<string> {
  const args = ['mod', 'download', '-json', `${module}@v${pinnedVersion(folder, module)}`];
  // Outside of every module: a go.mod may replace it.
  const { code, output } = await run('go', args, { cwd: tmpdir() });
  if (code !== 0) throw new MissingToolError(`${purpose} with the Go module ${module}: ${output.slice(-2000)}`);
  return (JSON.parse(output.slice(output.indexOf('{'))) as { Dir: string }).Dir;
}

/** Files of the module of a tool, or of another that it is built with, by the names that they are kept by beside the program. */
export async function ensureModuleFiles<Name extends string>(
  tool: GoTool,
  sources: Readonly<Record<Name, string>>,
  of: string = tool.module,
): Promise<Readonly<Record<Name, string>>> {
  const { module, cache } = toolFolders(tool);
  const files = Object.keys(sources).map((name) => [name as Name, join(cache, `${name}.yaml`)] as const);
  if (!files.every(([, file]) => isReadable(file))) {
    makeFolder(cache);
    const from = await moduleSources(module, of, `the resource definitions of ${tool.name} come`);
    for (const [name, file] of files) copyFileSync(join(from, sources[name]), file);
  }
  return Object.fromEntries(files) as Record<Name, string>;
}

/** `4.3.1`, from the go.mod that pins it. */
function pinnedVersion(folder: string, module: string): string {
  const file = join(folder, 'go.mod');
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .map((each) =>
      each
        .trim()
        .replace(/^require /, '')
        .split(' '),
    )
    .find(([path, version]) => path === module && version?.startsWith('v'));
  if (!line?.[1]) throw new Error(`${file} requires no ${module}`);
  return line[1].slice(1);
}

/** Path of istiod, whose program is called pilot-discovery. */
export const ensureIstiod = (say: (line: string) => void = () => undefined): Promise<string> =>
  ensureGoTool(
    {
      name: 'pilot-discovery',
      module: 'istio.io/istio',
      package: 'istio.io/istio/pilot/cmd/pilot-discovery',
      purpose: 'the tests of real data planes configure Envoy by istiod',
    },
    say,
  );

const SKIPPER: GoTool = {
  name: 'skipper',
  module: 'github.com/zalando/skipper',
  package: 'github.com/zalando/skipper/cmd/skipper',
  purpose: 'the tests of real data planes route by Skipper',
};

/** Path of Skipper. */
export const ensureSkipper = (say: (line: string) => void = () => undefined): Promise<string> => ensureGoTool(SKIPPER, say);

/** Path of the program that says what kstatus, Flux and Argo CD make of an object. */
export const ensureGitopsStatus = (say: (line: string) => void = () => undefined): Promise<string> =>
  ensureGoTool(
    {
      name: 'gitops-status',
      module: 'github.com/fluxcd/pkg/runtime',
      package: '.',
      purpose: 'the end-to-end tests compare the status of Canaries with what GitOps tools make of it',
    },
    say,
  );

/** Path of a helm, with which the end-to-end tests render the charts. */
export const ensureHelm = (say: (line: string) => void = () => undefined): Promise<string> =>
  ensureGoTool(
    {
      name: 'helm',
      module: 'helm.sh/helm/v4',
      package: 'helm.sh/helm/v4/cmd/helm',
      stamps: (version) => [`helm.sh/helm/v4/internal/version.version=v${version}`],
      purpose: 'the end-to-end tests render the charts with helm',
    },
    say,
  );
