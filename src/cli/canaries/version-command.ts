import { version } from '../../base/version.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import { NoKubeconfigError } from '../../kube/kubeconfig.ts';
import { asRecord } from '../../reading/canary-reading.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import type { VersionReport } from '../output/documents.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer, Output } from '../output/output.ts';
import { cleaned } from '../output/text.ts';
import type { Session } from './session.ts';

/** Version of this program, without a cluster. */
export function clientVersion(): VersionReport {
  return { apiVersion: outputVersion, kind: 'VersionReport', client: version, node: process.versions.node, output: outputVersion };
}

/** `serin version --client`. */
export async function clientVersionCommand(output: Output): Promise<ExitName> {
  await output.show(versionAnswer(clientVersion()));
  return 'done';
}

/**
 * `serin version`: of this program and of the API server. Without a kubeconfig it shows the version of this program, and says that no cluster was reached. If the
 * chosen cluster does not answer, it shows the same, and then throws the error.
 */
export async function versionCommand(
  output: Output,
  onCluster: (read: (session: Pick<Session, 'cluster'>) => Promise<ExitName>) => Promise<ExitName>,
): Promise<ExitName> {
  let server: string | undefined;
  let missing: NoKubeconfigError | undefined;
  const show = () => output.show(versionAnswer({ ...clientVersion(), ...(server ? { server } : {}) }));
  try {
    await onCluster(async ({ cluster }) => {
      server = await serverVersion(cluster);
      return 'done';
    });
  } catch (error) {
    if (!(error instanceof NoKubeconfigError)) throw error;
    missing = error;
  } finally {
    await show();
  }
  if (missing) output.note(`No cluster was reached: ${missing.message}`);
  return 'done';
}

/** Version of the API server, like `v1.34.0`. */
export async function serverVersion(cluster: Pick<KubeCluster, 'raw'>): Promise<string | undefined> {
  const { gitVersion } = asRecord(await cluster.raw('GET', '/version'));
  return typeof gitVersion === 'string' ? gitVersion : undefined;
}

function versionAnswer(report: VersionReport): CommandAnswer<VersionReport> {
  return {
    document: report,
    names: [],
    lines: (terminal) => [
      `serin       ${report.client}`,
      `output      ${report.output}`,
      `node        ${report.node}`,
      ...(report.server ? [`kubernetes  ${cleaned(report.server, terminal)}`] : []),
    ],
  };
}
