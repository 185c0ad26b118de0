/** Builds the programs by which users apply manifests, for test/appliers. */
import { join } from 'node:path';
import { ensureBinaries } from './e2e-binaries.ts';
import { ensureGoTool, ensureHelm, type GoTool, toolFolders } from './e2e-go-tool.ts';

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
  // A version that many users still have: its libraries are those of Kubernetes 1.31.
  'helm-316': {
    name: 'helm316',
    folder: 'helm-316',
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
  argo: { name: 'argocd-sync', folder: 'gitops-engine', module: 'github.com/argoproj/argo-cd/gitops-engine', package: '.', purpose },
  tofu: {
    name: 'tofu',
    folder: 'opentofu',
    module: 'github.com/opentofu/opentofu',
    package: 'github.com/opentofu/opentofu/cmd/tofu',
    purpose,
  },
  // OpenTofu finds it by this name.
  'tofu-kubernetes': {
    name: 'terraform-provider-kubernetes',
    module: 'github.com/hashicorp/terraform-provider-kubernetes',
    package: 'github.com/hashicorp/terraform-provider-kubernetes',
    purpose,
  },
} as const satisfies Record<string, GoTool>;

/** Functions that return the path of each program; `kubectl` is the control plane's. */
export const APPLIERS = {
  'helm-3': (say?: Say) => ensureGoTool(TOOLS['helm-3'], say ?? quiet),
  'helm-316': (say?: Say) => ensureGoTool(TOOLS['helm-316'], say ?? quiet),
  'helm-4': (say?: Say) => ensureHelm(say),
  kubectl: async (say?: Say) => join((await ensureBinaries(say)).dir, 'kubectl'),
  argo: (say?: Say) => ensureGoTool(TOOLS.argo, say ?? quiet),
  flux: (say?: Say) => ensureGoTool(TOOLS.flux, say ?? quiet),
  tofu: (say?: Say) => ensureGoTool(TOOLS.tofu, say ?? quiet),
  'tofu-kubernetes': (say?: Say) => ensureGoTool(TOOLS['tofu-kubernetes'], say ?? quiet),
} as const;

/** Appliers of the end-to-end tests that take minutes to build, ten of them for Flux. */
const SLOWLY_BUILT = ['helm-3', 'argo', 'flux'] as const;

/** Appliers of the end-to-end tests: all of them. With `PART_SEED`, which is the day in `.ci/run`, a single slowly built applier beside the others. */
export function appliersOfE2e(partSeed = process.env.PART_SEED) {
  const isOfDay = (_: string, index: number) => partSeed === undefined || Number(partSeed) % SLOWLY_BUILT.length === index;
  return ['kubectl', 'helm-4', ...SLOWLY_BUILT.filter(isOfDay)] as const;
}

const quiet: Say = () => undefined;

/** Versions of the tools that have a go.mod of their own. */
export const applierVersions = (): Record<keyof typeof TOOLS, string> => ({
  'helm-3': toolFolders(TOOLS['helm-3']).version,
  'helm-316': toolFolders(TOOLS['helm-316']).version,
  flux: toolFolders(TOOLS.flux).version,
  argo: toolFolders(TOOLS.argo).version,
  tofu: toolFolders(TOOLS.tofu).version,
  'tofu-kubernetes': toolFolders(TOOLS['tofu-kubernetes']).version,
});

if (import.meta.main) for (const ensure of Object.values(APPLIERS)) await ensure((line) => void process.stdout.write(`${line}\n`));
