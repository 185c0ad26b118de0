import { globSync } from 'node:fs';
import { join } from 'node:path';
import { ensureGoTool, ensureModuleFiles, type GoTool, moduleSources } from './e2e-go-tool.ts';

const LEGO = 'github.com/go-acme/lego/v5';
const TRAEFIK: GoTool = {
  name: 'traefik',
  module: 'github.com/traefik/traefik/v3',
  package: 'github.com/traefik/traefik/v3/cmd/traefik',
  purpose: 'the tests of real data planes route by Traefik',
  overlay: legoWithoutProviders,
};
/** Resource definitions that Traefik publishes. */
const DEFINITIONS = { traefik: 'docs/content/reference/dynamic-configuration/kubernetes-crd-definition-v1.yml' } as const;

/** Path of Traefik. */
export const ensureTraefik = (say: (line: string) => void = () => undefined): Promise<string> => ensureGoTool(TRAEFIK, say);

/** File of its resource definitions, of the version that is built: it comes with its module. */
export const ensureTraefikDefinitions = async (): Promise<string> => (await ensureModuleFiles(TRAEFIK, DEFINITIONS)).traefik;

/** The folder has only the list of DNS providers of lego; the rest is the module's. Files of the module cache itself cannot be replaced. */
async function legoWithoutProviders(module: string): Promise<ReadonlyMap<string, string>> {
  const from = await moduleSources(module, LEGO, 'lego, by which Traefik requests certificates, comes');
  const files = globSync(['go.mod', '**/*.go'], { cwd: from }).filter((file) => !file.startsWith('providers'));
  return new Map(files.map((file) => [join(module, 'lego', file), join(from, file)]));
}
