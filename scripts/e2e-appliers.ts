/** Builds the programs by which users apply manifests, for test/appliers. */
import { join } from 'node:path';
import { ensureBinaries } from './e2e-binaries.ts';
import { ensureGoTool, type GoTool, toolFolders } from './e2e-go-tool.ts';
import { ensureHelm } from './e2e-helm.ts';

type Say = (line: string) => void;

const purpose = 'test/appliers applies manifests by it';
const TOOLS = {
  'helm-3': {
    name: 'helm3',
    folder: 'helm-3',
    module: 'helm.sh/helm/v3',
    package: 'helm.sh/helm/v3/cmd/helm',
    stamps: (version) => [`helm.sh/helm/v3/internal/version.version=v${version}`],
    purpose,
  },
  flux: {
    name: 'kustomize-controller',
    module: 'github.com/fluxcd/kustomize-controller',
    package: 'github.com/fluxcd/kustomize-controller',
    purpose,
  },
  argo: { name: 'gitops-engine', module: 'github.com/argoproj/argo-cd/gitops-engine', package: '.', purpose },
} as const satisfies Record<string, GoTool>;

/** How to get the path of each program; `kubectl` is the control plane's. */
export const APPLIERS = {
  'helm-3': (say?: Say) => ensureGoTool(TOOLS['helm-3'], say ?? quiet),
  'helm-4': (say?: Say) => ensureHelm(say),
  kubectl: async (say?: Say) => join((await ensureBinaries(say)).dir, 'kubectl'),
  argo: (say?: Say) => ensureGoTool(TOOLS.argo, say ?? quiet),
  flux: (say?: Say) => ensureGoTool(TOOLS.flux, say ?? quiet),
} as const;

const quiet: Say = () => undefined;

/** Versions of the tools that have a go.mod of their own. */
export const applierVersions = (): Record<keyof typeof TOOLS, string> => ({
  'helm-3': toolFolders(TOOLS['helm-3']).version,
  flux: toolFolders(TOOLS.flux).version,
  argo: toolFolders(TOOLS.argo).version,
});

if (import.meta.main) for (const ensure of Object.values(APPLIERS)) await ensure((line) => void process.stdout.write(`${line}\n`));
