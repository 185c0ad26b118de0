import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Raw } from '../../fakes/raw.ts';
import { nameOf } from '../applications.ts';
import {
  type ApplicationOptions,
  type Applications,
  containersOf,
  createConfig,
  INTERVAL_MS,
  MAX_WEIGHT,
  type SeenRelease,
  THRESHOLD,
} from './at-once-applications.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const INTERVAL = `${INTERVAL_MS / 1000}s`;
const SIDES = ['stable', 'canary'] as const;

/** Rollouts of Argo. They are the workload themselves, and their users make the Services and the route. */
export const rollouts: Applications = {
  kind: { apiVersion, kind: 'Rollout' },
  seenOf,
  async createTarget(cluster, namespace, index) {
    const name = nameOf(index);
    await createConfig(cluster, namespace, index);
    for (const side of SIDES) {
      const spec = { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 9898 }] };
      await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: `${name}-${side}`, namespace }, spec });
    }
    const route = SIDES.map((side) => ({ destination: { host: `${name}-${side}` }, weight: side === 'stable' ? 100 : 0 }));
    await cluster.create({
      ...{ apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', metadata: { name, namespace } },
      spec: { hosts: [name], http: [{ name: 'primary', route }] },
    });
  },
  async create(cluster, namespace, index, options) {
    await cluster.create(analysisOf(namespace, index, options));
    return cluster.create(rolloutOf(namespace, index, options));
  },
  push: (cluster, namespace, index, version, env) =>
    cluster.patch(
      { apiVersion, kind: 'Rollout', name: nameOf(index), namespace },
      { spec: { template: { spec: { containers: containersOf(index, version, env) } } } },
    ),
};

/** A check each interval, beside the steps, and as many failed ones until the release is aborted. */
function analysisOf(namespace: string, index: number, { prometheusUrl }: ApplicationOptions): KubeObject {
  const name = nameOf(index);
  const query = `sum(rate(istio_requests_total{destination_workload="${name}",response_code!~"5.*"}[1m]))`;
  const metric = {
    name: 'request-success-rate',
    interval: INTERVAL,
    failureLimit: THRESHOLD - 1,
    successCondition: 'result[0] >= 99',
    provider: { prometheus: { address: prometheusUrl, query } },
  };
  return { apiVersion, kind: 'AnalysisTemplate', metadata: { name, namespace }, spec: { metrics: [metric] } };
}

/** The steps of a Canary: a weight, and the interval. */
function rolloutOf(namespace: string, index: number, { steps }: ApplicationOptions): KubeObject {
  const name = nameOf(index);
  const labels = { app: name };
  const ofEach = (step: number) => [{ setWeight: (step * MAX_WEIGHT) / steps }, { pause: { duration: INTERVAL } }];
  return {
    apiVersion,
    kind: 'Rollout',
    metadata: { name, namespace, labels },
    spec: {
      replicas: 1,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: containersOf(index, '1') } },
      strategy: {
        canary: {
          canaryService: `${name}-canary`,
          stableService: `${name}-stable`,
          trafficRouting: { istio: { virtualService: { name, routes: ['primary'] } } },
          analysis: { templates: [{ templateName: name }] },
          steps: Array.from({ length: steps }, (_, step) => ofEach(step + 1)).flat(),
        },
      },
    },
  };
}

/** A Rollout that is healthy, and has never been released before, is what a Canary calls initialized. */
function seenOf({ metadata, status = {} }: Raw): SeenRelease {
  const weight: number = status.canary?.weights?.canary?.weight ?? 0;
  if (String(metadata.generation) !== status.observedGeneration) return { phase: 'none', weight };
  const isReleased = status.currentPodHash !== undefined && status.stableRS !== '' && status.stableRS !== undefined;
  if (status.abort === true || status.phase === 'Degraded') return { phase: 'Failed', weight };
  if (status.phase === 'Healthy')
    return { phase: status.stableRS === status.currentPodHash && metadata.generation > 1 ? 'Succeeded' : 'Initialized', weight };
  return { phase: isReleased ? 'Progressing' : 'Initializing', weight };
}
