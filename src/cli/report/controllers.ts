import { statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { redactText } from '../../base/redact-text.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import { asRecord } from '../../reading/canary-reading.ts';
import { canaryLabelValue } from '../../workloads/anchor.ts';
import type { ReportFile } from './canary-files.ts';
import { podSummary } from './pod-summary.ts';
import type { ReportReader } from './report-reader.ts';

/** The label of the chart and the kustomizations. */
const CONTROLLER = 'app.kubernetes.io/name=serin';
/** Most characters of one container's log, from its end. */
const LONGEST_LOG = 900_000;
/** The API server counts bytes from the beginning of the requested lines: a smaller limit would cut off the end. */
const MOST_BYTES = 10 * LONGEST_LOG;

/** The Deployments of the controller, their pods, and with `logLines` the end of their logs. */
export async function controllerFiles(
  cluster: Pick<KubeCluster, 'ask'>,
  reader: ReportReader,
  { selector = CONTROLLER, logLines = 0 }: { selector?: string; logLines?: number },
): Promise<ReportFile[]> {
  const deployments = (await reader.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { labelSelector: selector })).items;
  if (deployments.length === 0) return [];
  const pods = (await reader.list({ apiVersion: 'v1', kind: 'Pod' }, { labelSelector: selector })).items;
  const files: ReportFile[] = [
    { path: 'controller/deployments.yaml', says: 'the Deployments of the controller', content: deployments },
    { path: 'controller/pods.json', says: 'their pods, in short', content: pods.map(podSummary) },
  ];
  if (logLines === 0) return files;
  for (const pod of pods) {
    for (const { name, previous } of runsOf(pod)) {
      const log = await logOf(cluster, reader, pod, name, { previous, lines: logLines });
      const { namespace = '', name: podName } = pod.metadata;
      const path = `controller/logs/${namespace}/${canaryLabelValue(`${podName}.${name}`)}${previous ? '.previous' : ''}.log`;
      const says = `its last ${logLines} lines${previous ? ', of the previous run' : ''}`;
      if (log) files.push({ path, says, content: redactText(log.slice(-LONGEST_LOG)) });
    }
  }
  return files;
}

/** Each container, and its run before where it was started again. */
function runsOf(pod: KubeObject): { name: string; previous: boolean }[] {
  const containers: unknown = statusOf<{ containerStatuses: unknown }>(pod).containerStatuses;
  return (Array.isArray(containers) ? containers : []).flatMap((one) => {
    const { name, restartCount } = asRecord(one);
    const run = (previous: boolean) => ({ name: String(name), previous });
    return Number(restartCount) > 0 ? [run(true), run(false)] : [run(false)];
  });
}

async function logOf(
  cluster: Pick<KubeCluster, 'ask'>,
  reader: ReportReader,
  { metadata }: KubeObject,
  container: string,
  { previous, lines }: { previous: boolean; lines: number },
): Promise<string | undefined> {
  const { namespace = '', name } = metadata;
  const query = new URLSearchParams({
    container,
    tailLines: String(lines),
    limitBytes: String(MOST_BYTES),
    ...(previous ? { previous: 'true' } : {}),
  });
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log?${query}`;
  const what = `log of pod ${namespace}/${name}, container ${container}${previous ? ', of the previous run' : ''}`;
  const answer = await reader.attempt(what, () => cluster.ask('GET', path));
  if (answer === undefined || answer.status < 400) return answer?.body;
  reader.notRead.set(what, answer.status === 403 ? 'cannot be read with these credentials' : `the API server answered ${answer.status}`);
  return undefined;
}
