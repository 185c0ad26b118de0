import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ensureGoTool, type GoTool, toolFolders } from './e2e-go-tool.ts';
import { isReadable, MissingToolError, makeFolder, run } from './e2e-tools.ts';

/** Their main packages. */
const PROGRAMS = { controller: 'serin.test/knative', webhook: 'knative.dev/serving/cmd/webhook' } as const;
export type KnativePrograms = Readonly<Record<keyof typeof PROGRAMS, string>>;

const toolOf = (program: keyof typeof PROGRAMS): GoTool => ({
  name: `knative-${program}`,
  folder: 'knative',
  module: 'knative.dev/serving',
  package: PROGRAMS[program],
  purpose: 'the tests of real data planes run the controllers of Knative Serving',
});

/** Manifests that Knative publishes, by the module that they come with: folders in the cache of this name. */
const MANIFESTS = {
  serving: { module: 'knative.dev/serving', folder: 'config/core' },
  networking: { module: 'knative.dev/networking', folder: 'config' },
  caching: { module: 'knative.dev/caching', folder: 'config' },
} as const;
export type KnativeManifests = Readonly<Record<keyof typeof MANIFESTS, string>>;

/** Paths of Serving's controllers, with its autoscaler that leaves counting to Kubernetes, and of its webhook. */
export async function ensureKnative(say: (line: string) => void = () => undefined): Promise<KnativePrograms> {
  return { controller: await ensureGoTool(toolOf('controller'), say), webhook: await ensureGoTool(toolOf('webhook'), say) };
}

/** Folders of resource definitions, settings and webhooks, of the version that is built: they come with its modules. */
export async function ensureKnativeManifests(): Promise<KnativeManifests> {
  const { module, cache } = toolFolders(toolOf('controller'));
  const kept = (name: string) => join(cache, name);
  for (const [name, { module: path, folder }] of Object.entries(MANIFESTS)) {
    if (isReadable(kept(name))) continue;
    makeFolder(cache);
    const { code, output } = await run('go', ['mod', 'download', '-json', path], { cwd: module });
    if (code !== 0) throw new MissingToolError(`the manifests of Knative come with its Go modules: ${output.slice(-2000)}`);
    const { Dir } = JSON.parse(output.slice(output.indexOf('{'))) as { Dir: string };
    cpSync(join(Dir, folder), kept(name), { recursive: true });
  }
  return { serving: kept('serving'), networking: kept('networking'), caching: kept('caching') };
}
