import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Raw, raw } from '../fakes/raw.ts';

/** A common mistake, as an edit of sound manifests. `edit` returns false if the manifests have no place for it. */
export interface Misconfiguration {
  name: string;
  edit(canary: KubeObject, objects: readonly KubeObject[]): boolean;
}

const deploymentIn = (objects: readonly KubeObject[]): KubeObject | undefined => objects.find(({ kind }) => kind === 'Deployment');
const metricOf = ({ spec }: Raw, name: string) => spec.analysis.metrics?.find((metric: { name: string }) => metric.name === name);

/** Sets a field if its parent exists. */
const on =
  <T>(find: (canary: KubeObject, objects: readonly KubeObject[]) => T | undefined, change: (found: T) => void): Misconfiguration['edit'] =>
  (canary, objects) => {
    const found = find(canary, objects);
    if (found !== undefined) change(found);
    return found !== undefined;
  };
const successRate = (canary: KubeObject) => metricOf(canary, 'request-success-rate');
const duration = (canary: KubeObject) => metricOf(canary, 'request-duration');
const analysis = (canary: KubeObject) => raw(canary).spec.analysis;
const weighted = ({ spec }: Raw) => (spec.analysis.stepWeight === undefined ? undefined : spec.analysis);
const iterated = ({ spec }: Raw) => (spec.analysis.iterations === undefined ? undefined : spec.analysis);
const root = ({ spec }: Raw) => spec;
const deployed = (_: KubeObject, objects: readonly KubeObject[]) => raw(deploymentIn(objects))?.spec;
const gate = (type: string, url: string) => (found: Raw) => {
  found.webhooks = [...(found.webhooks ?? []), { name: 'approval', type, url }];
};

export const misconfigurations: readonly Misconfiguration[] = [
  {
    name: 'port of another name',
    edit: on(
      ({ spec }: Raw) => spec.service,
      (service) => Object.assign(service, { targetPort: 'htpp' }),
    ),
  },
  { name: 'gate that is shut for good', edit: on(analysis, gate('confirm-promotion', 'http://loadtester.test/gate/halt')) },
  { name: 'no failed check allowed', edit: on(analysis, (found) => Object.assign(found, { threshold: 0 })) },
  { name: 'success rate that never fails', edit: on(successRate, (metric) => Object.assign(metric, { thresholdRange: { min: 0 } })) },
  { name: 'success rate as a fraction', edit: on(successRate, (metric) => Object.assign(metric, { thresholdRange: { min: 0.99 } })) },
  { name: 'success rate above 100%', edit: on(successRate, (metric) => Object.assign(metric, { thresholdRange: { min: 101 } })) },
  { name: 'success rate with a maximum', edit: on(successRate, (metric) => Object.assign(metric, { thresholdRange: { max: 99 } })) },
  { name: 'duration in seconds', edit: on(duration, (metric) => Object.assign(metric, { thresholdRange: { max: 0.5 } })) },
  { name: 'duration in microseconds', edit: on(duration, (metric) => Object.assign(metric, { thresholdRange: { max: 500_000 } })) },
  { name: 'window below two scrapes', edit: on(successRate, (metric) => Object.assign(metric, { interval: '10s' })) },
  {
    name: 'maximum weight below the step',
    edit: on(weighted, (found) => Object.assign(found, { stepWeight: 50, maxWeight: 10 })),
  },
  { name: 'interval without a unit', edit: on(analysis, (found) => Object.assign(found, { interval: '60' })) },
  { name: 'no metric at all', edit: on(analysis, (found) => delete found.metrics) },
  {
    name: 'target of another name',
    edit: on(
      ({ spec }: Raw) => spec.targetRef,
      (ref) => Object.assign(ref, { name: `${ref.name}-v2` }),
    ),
  },
  {
    name: 'target without a label to select by',
    edit: on(deployed, (spec) => {
      spec.selector.matchLabels = { tier: 'web' };
      spec.template.metadata.labels = { tier: 'web' };
    }),
  },
  {
    name: 'deadline below the start of a pod',
    edit: on(root, (spec) => Object.assign(spec, { progressDeadlineSeconds: 3 })),
  },
  {
    name: 'template that is not there',
    edit: on(analysis, (found) =>
      found.metrics?.push({ name: 'errors', interval: '1m', templateRef: { name: 'none' }, thresholdRange: { max: 1 } }),
    ),
  },
  {
    name: 'query of the primary',
    edit: on(successRate, (metric) =>
      Object.assign(metric, {
        name: 'success',
        query:
          'sum(rate(http_requests_total{kubernetes_namespace="{{ namespace }}",kubernetes_pod_name=~"{{ target }}-primary-.*",status!~"5.*"}[1m])) / sum(rate(http_requests_total{kubernetes_namespace="{{ namespace }}",kubernetes_pod_name=~"{{ target }}-primary-.*"}[1m])) * 100',
      }),
    ),
  },
  {
    name: 'query of another namespace',
    edit: on(successRate, (metric) =>
      Object.assign(metric, {
        name: 'success',
        query: 'sum(rate(http_requests_total{kubernetes_namespace="prod",kubernetes_pod_name=~"{{ target }}-.*"}[1m]))',
      }),
    ),
  },
  { name: 'threshold that no release reaches', edit: on(analysis, (found) => Object.assign(found, { threshold: 1000 })) },
  { name: 'weights that fall', edit: on(weighted, (found) => Object.assign(found, { stepWeight: undefined, stepWeights: [50, 20, 5] })) },
  { name: 'step of nothing', edit: on(weighted, (found) => Object.assign(found, { stepWeight: 0 })) },
  { name: 'weight above 100%', edit: on(weighted, (found) => Object.assign(found, { stepWeight: 60, maxWeight: 160 })) },
  { name: 'no iteration', edit: on(iterated, (found) => Object.assign(found, { iterations: 0 })) },
  {
    name: 'condition that no user meets',
    edit: on(iterated, (found) => Object.assign(found, { match: [{ headers: { 'x-none': { exact: 'none' } } }] })),
  },
  { name: 'gate of a misspelt type', edit: on(analysis, gate('pre-rolout', 'http://loadtester.test/')) },
  { name: 'webhook without a scheme', edit: on(analysis, gate('pre-rollout', 'loadtester.test/')) },
  { name: 'gate that is shut before the analysis', edit: on(analysis, gate('confirm-rollout', 'http://loadtester.test/gate/halt')) },
  { name: 'analysis that is skipped', edit: on(root, (spec) => Object.assign(spec, { skipAnalysis: true })) },
  { name: 'misspelt provider', edit: on(root, (spec) => Object.assign(spec, { provider: 'isto' })) },
  {
    name: 'misspelt field',
    edit: on(successRate, (metric) => Object.assign(metric, { thresholdrange: metric.thresholdRange, thresholdRange: undefined })),
  },
  {
    name: 'target of another kind',
    edit: on(
      ({ spec }: Raw) => spec.targetRef,
      (ref) => Object.assign(ref, { kind: 'StatefulSet' }),
    ),
  },
  { name: 'primary that is never ready enough', edit: on(analysis, (found) => Object.assign(found, { primaryReadyThreshold: 200 })) },
  {
    name: 'alert without a provider',
    edit: on(analysis, (found) => Object.assign(found, { alerts: [{ name: 'page', severity: 'error', providerRef: { name: 'none' } }] })),
  },
  {
    name: 'scaler that is not there',
    edit: on(root, (spec) =>
      Object.assign(spec, { autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'none' } }),
    ),
  },
  {
    name: 'query with a mistake',
    edit: on(successRate, (metric) =>
      Object.assign(metric, { name: 'success', query: 'sum(rate(http_requests_total{status!~"5.*"}[1m])' }),
    ),
  },
  {
    name: 'limits the wrong way round',
    edit: on(successRate, (metric) => Object.assign(metric, { thresholdRange: { min: 100, max: 99 } })),
  },
  { name: 'target that is paused', edit: on(deployed, (spec) => Object.assign(spec, { paused: true })) },
  { name: 'target without pods', edit: on(deployed, (spec) => Object.assign(spec, { replicas: 0 })) },
  {
    name: 'pods that are never ready',
    edit: on(deployed, (spec) =>
      Object.assign(spec.template.spec.containers[0], { readinessProbe: { httpGet: { path: '/', port: 'none' } } }),
    ),
  },
];
