import { ensureGoTool } from './e2e-go-tool.ts';

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
