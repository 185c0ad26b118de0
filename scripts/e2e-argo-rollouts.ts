import { ensureGoTool, ensureModuleFiles, type GoTool, toolFolders } from './e2e-go-tool.ts';

const ARGO_ROLLOUTS: GoTool = {
  name: 'rollouts-controller',
  folder: 'argo-rollouts',
  module: 'github.com/argoproj/argo-rollouts',
  package: 'github.com/argoproj/argo-rollouts/cmd/rollouts-controller',
  purpose: 'the benchmark runs Argo Rollouts beside Serin',
};

export const ARGO_ROLLOUTS_VERSION = toolFolders(ARGO_ROLLOUTS).version;

/** Path of the controller of Argo Rollouts, which the benchmark runs beside Serin. */
export const ensureArgoRollouts = (say: (line: string) => void = () => undefined): Promise<string> => ensureGoTool(ARGO_ROLLOUTS, say);

/** Files of its resource definitions, in the module that it is built from. */
export const ensureArgoCrds = async (): Promise<readonly string[]> =>
  Object.values(
    await ensureModuleFiles(ARGO_ROLLOUTS, {
      rollouts: 'manifests/crds/rollout-crd.yaml',
      'analysis-runs': 'manifests/crds/analysis-run-crd.yaml',
      'analysis-templates': 'manifests/crds/analysis-template-crd.yaml',
      'cluster-analysis-templates': 'manifests/crds/cluster-analysis-template-crd.yaml',
      experiments: 'manifests/crds/experiment-crd.yaml',
    }),
  );
