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

const GATEWAY_API = 'sigs.k8s.io/gateway-api';
/** Kinds that it watches as an implementation of the Gateway API. */
const GATEWAY_KINDS = ['gatewayclasses', 'gateways', 'httproutes', 'grpcroutes', 'tlsroutes', 'referencegrants', 'backendtlspolicies'];
const GATEWAY_DEFINITIONS = Object.fromEntries(
  GATEWAY_KINDS.map((kind) => [kind, `config/crd/standard/gateway.networking.k8s.io_${kind}.yaml`]),
);

/** Path of Traefik. */
export const ensureTraefik = (say: (line: string) => void = () => undefined): Promise<string> => ensureGoTool(TRAEFIK, say);

/** File of its resource definitions, of the version that is built: it comes with its module. */
export const ensureTraefikDefinitions = async (): Promise<string> => (await ensureModuleFiles(TRAEFIK, DEFINITIONS)).traefik;

/** Files of the definitions of the Gateway API, of the version that it is built with. */
export const ensureTraefikGatewayDefinitions = async (): Promise<string[]> =>
  Object.values(await ensureModuleFiles(TRAEFIK, GATEWAY_DEFINITIONS, GATEWAY_API));

/** The folder has only the list of DNS providers of lego; the rest is the module's. Files of the module cache itself cannot be replaced. */
async function legoWithoutProviders(module: string): Promise<ReadonlyMap<string, string>> {
  const from = await moduleSources(module, LEGO, 'lego, by which Traefik requests certificates, comes');
  const files = globSync(['go.mod', '**/*.go'], { cwd: from }).filter((file) => !file.startsWith('providers'));
  return new Map(files.map((file) => [join(module, 'lego', file), join(from, file)]));
}
