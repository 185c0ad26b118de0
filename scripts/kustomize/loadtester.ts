import type { KubeObject } from '../../src/api/kube-object.ts';
import { restricted } from '../chart/value-kinds.ts';
import { UNSET_IMAGE } from './manifests.ts';

/** The address in webhooks of Flagger's overlay: `http://flagger-loadtester.test/`. */
const NAME = 'flagger-loadtester';
export const LOADTESTER_NAMESPACE = 'test';
const labels = { app: NAME };
const metadata = { name: NAME, namespace: LOADTESTER_NAMESPACE, labels };

/** The objects that the chart renders without values; a test compares the two. */
export function loadTesterObjects(version: string): KubeObject[] {
  const probe = (periodSeconds: number) => ({ httpGet: { path: '/healthz', port: 'http' }, periodSeconds, timeoutSeconds: 5 });
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }], selector: labels },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 1,
        // Gates are the state of one process.
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' } },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 40,
            securityContext: { fsGroup: 65532 },
            containers: [
              {
                name: 'loadtester',
                image: `${UNSET_IMAGE}:${version}`,
                imagePullPolicy: 'IfNotPresent',
                args: ['loadtester', '--port=8080', '--log-level=info', '--timeout=1h', '--state-file=/data/gates.json'],
                ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
                livenessProbe: probe(10),
                readinessProbe: probe(5),
                securityContext: restricted,
                resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '512Mi' } },
                volumeMounts: [{ name: 'data', mountPath: '/data' }],
              },
            ],
            volumes: [{ name: 'data', emptyDir: {} }],
          },
        },
      },
    },
  ];
}
