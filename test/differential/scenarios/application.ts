import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { NamedScenario } from './scenario.ts';

/** Long enough that a tick of either side comes before. */
const SLOW_START_MS = 20_000;
export const REPLICAS = 2;
/** A ConfigMap that all pods read: Flagger and Serin track it, and copy it for the primary. */
const settingsOf = ({ name }: NamedScenario) => `${name}-settings`;
const PORTS = [{ name: 'http', port: 80, targetPort: 'http' }];

/** Ready for a check of most intervals, and down in each of them. */
const CRASH_AFTER_MS = 6_000;

/** The user's workload with its Service, and what the new version makes of them. */
export interface UserApplication {
  objects: KubeObject[];
  /** Merge patches: the push. */
  push: { object: KubeObject; patch: Record<string, unknown> };
  /** Objects that come with the push. */
  pushed: KubeObject[];
}

/** Pods of a template with this variable: the first of each owner never becomes ready, unless it is a primary's. */
export const ONE_UNREADY = 'ONE_UNREADY';

export function userApplication(scenario: NamedScenario, namespace: string): UserApplication {
  const { name, target } = scenario;
  const metadata = { name, namespace };
  const labels = { app: name };
  const after = containerOf(scenario, '2');
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: settingsOf(scenario), namespace }, data: { COLOR: 'blue' } };
  if (target === 'Service') {
    const selector = (version: string) => ({ app: name, version });
    const workload = (version: string, container: object) => deployment(`${name}-v${version}`, namespace, selector(version), container);
    const service = serviceOf(metadata, selector('1'));
    return {
      objects: [workload('1', containerOf(scenario, '1')), service, settings],
      push: { object: service, patch: { spec: { selector: selector('2') } } },
      pushed: [workload('2', after)],
    };
  }
  const workload =
    target === 'DaemonSet'
      ? daemonSet(metadata, labels, containerOf(scenario, '1'))
      : deployment(name, namespace, labels, containerOf(scenario, '1'));
  const scalers = scenario.scaler === 'hpa' ? [autoscaler(metadata)] : [];
  return {
    objects: [workload, serviceOf(metadata, labels), settings, ...scalers],
    push: { object: workload, patch: { spec: { template: { spec: { containers: [after] } } } } },
    pushed: [],
  };
}

function containerOf(scenario: NamedScenario, version: string): object {
  const { pods } = scenario;
  const isNew = version !== '1';
  const variables: Record<string, Record<string, string>> = {
    slow: { READY_AFTER_MS: String(SLOW_START_MS) },
    'one-unready': { [ONE_UNREADY]: '1' },
  };
  const loop: Record<string, string> = scenario.crashes === 'loop' ? { CRASH_AFTER_MS: String(CRASH_AFTER_MS), EXIT_CODE: '3' } : {};
  const env = isNew ? { ...variables[pods], ...loop } : {};
  return {
    name: 'web',
    image: isNew && pods === 'unpullable' ? `registry.invalid/web:${version}` : `web:${version}`,
    ports: [{ name: 'http', containerPort: 9898 }],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    envFrom: [{ configMapRef: { name: settingsOf(scenario) } }],
  };
}

function deployment(name: string, namespace: string, labels: Record<string, string>, container: object): KubeObject {
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const spec = { replicas: REPLICAS, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, labels }, spec };
}

function daemonSet(metadata: KubeObject['metadata'], labels: Record<string, string>, container: object): KubeObject {
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...metadata, labels },
    spec: { selector: { matchLabels: labels }, template },
  };
}

function serviceOf(metadata: KubeObject['metadata'], selector: Record<string, string>): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector, ports: PORTS } };
}

function autoscaler(metadata: KubeObject['metadata']): KubeObject {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name };
  const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: { scaleTargetRef, minReplicas: REPLICAS, maxReplicas: 4, metrics: [{ type: 'Resource', resource }] },
  };
}
