import { type Raw, raw } from '../fakes/raw.ts';
import { READY_PATH } from './kubelet/fault.ts';
import type { Manifests } from './mistake.ts';

export const APP = 'web';
export const IMAGE = 'ghcr.io/example/web';
export const DEADLINE_SECONDS = 20;
/** Failed checks until the rollback. */
const THRESHOLD = 3;

/** One application with a Canary by weights, judged by its success rate, and a receiver of its alerts. */
export function manifestsOf(namespace: string, alertUrl: string): Manifests {
  const labels = { app: APP };
  const container = {
    name: APP,
    image: `${IMAGE}:1.0.0`,
    ports: [{ name: 'http', containerPort: 9898 }],
    readinessProbe: { httpGet: { path: READY_PATH, port: 'http' }, periodSeconds: 2 },
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
  return {
    deployment: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: APP, namespace },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
    } as Manifests['deployment'],
    canary: {
      apiVersion: 'flagger.app/v1beta1',
      kind: 'Canary',
      metadata: { name: APP, namespace },
      spec: {
        provider: 'istio',
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP },
        service: { port: 80, targetPort: 'http' },
        progressDeadlineSeconds: DEADLINE_SECONDS,
        analysis: {
          ...{ interval: '3s', threshold: THRESHOLD, stepWeight: 25, maxWeight: 50 },
          metrics: [{ name: 'request-success-rate', interval: '6s', thresholdRange: { min: 99 } }],
          alerts: [{ name: 'on-call', severity: 'info', providerRef: { name: 'on-call' } }],
        },
      },
    } as Manifests['canary'],
    more: [
      {
        apiVersion: 'flagger.app/v1beta1',
        kind: 'AlertProvider',
        metadata: { name: 'on-call', namespace },
        spec: { type: 'webhook', address: alertUrl },
      } as Manifests['canary'],
    ],
  };
}

export const containerOf = ({ deployment }: Manifests): Raw => raw(deployment).spec.template.spec.containers[0];
export const analysisOf = ({ canary }: Manifests): Raw => raw(canary).spec.analysis;

/** The next version, which works. */
export function nextVersion(manifests: Manifests, version = '2.0.0'): void {
  containerOf(manifests).image = `${IMAGE}:${version}`;
}
