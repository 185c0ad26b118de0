import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns, propertyTimeoutMs } from '../../test/fakes/property-runs.ts';
import { fieldPath } from '../base/field-path.ts';
import type { KubeObject } from './kube-object.ts';
import { parseCanary } from './parse-canary.ts';

const condition = () => ({ exact: 'a' });
/** A Canary with a field of each form that `spec` has. */
const full: KubeObject = {
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'shop', namespace: 'test' },
  spec: {
    provider: 'istio',
    metricsServer: 'http://prometheus:9090',
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
    autoscalerRef: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      name: 'shop',
      primaryScalerReplicas: { minReplicas: 1 },
    },
    progressDeadlineSeconds: 60,
    skipAnalysis: false,
    suspend: false,
    revertOnDeletion: false,
    service: {
      name: 'shop',
      port: 80,
      portName: 'http',
      targetPort: 'http',
      portDiscovery: true,
      appProtocol: 'http',
      headless: false,
      timeout: '5s',
      gateways: ['istio-system/public'],
      hosts: ['shop.example.com'],
      delegation: false,
      match: [{ uri: { prefix: '/' }, headers: { 'x-user': condition() } }],
      retries: { attempts: 3, perTryTimeout: '1s', retryOn: '5xx' },
      headers: { request: { add: { a: 'b' }, remove: ['c'] } },
      corsPolicy: { allowOrigins: [condition()], allowMethods: ['GET'], allowCredentials: false, maxAge: '24h' },
      trafficPolicy: { tls: { mode: 'ISTIO_MUTUAL' } },
      rewrite: { uri: '/' },
      apex: { labels: { a: 'b' }, annotations: { c: 'd' } },
    },
    analysis: {
      interval: '30s',
      threshold: 5,
      iterations: 3,
      maxWeight: 50,
      stepWeight: 10,
      stepWeights: [10, 50],
      stepWeightPromotion: 50,
      mirror: true,
      mirrorWeight: 100,
      primaryReadyThreshold: 100,
      canaryReadyThreshold: 100,
      unmeasured: 'hold',
      match: [{ headers: { user: condition() } }],
      sessionAffinity: { cookieName: 'shop', maxAge: 60 },
      metrics: [{ name: 'errors', interval: '1m', query: 'up', thresholdRange: { min: 1, max: 2 } }],
      webhooks: [{ name: 'smoke', type: 'rollout', url: 'http://hook', timeout: '5s', retries: 1, metadata: { a: 'b' }, muteAlert: true }],
      alerts: [{ name: 'chat', severity: 'error', providerRef: { name: 'chat', namespace: 'flagger' } }],
    },
  },
};

type Path = (string | number)[];
const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
const pathsIn = (value: unknown, path: Path): Path[] => [
  path,
  ...(isBranch(value)
    ? Object.entries(value).flatMap(([key, each]) => pathsIn(each, [...path, Array.isArray(value) ? Number(key) : key]))
    : []),
];
const paths = pathsIn(full.spec, ['spec']);

/** The manifest with another value at this place. */
function mangled(path: Path, wrong: (value: unknown) => unknown): KubeObject {
  const raw = structuredClone(full);
  let place: Record<string | number, unknown> = raw;
  for (const step of path.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  place[last] = wrong(place[last]);
  return raw;
}

it(
  'I12: a value of the wrong form is refused by its field, for any field',
  () => {
    expect(parseCanary(full)).toHaveProperty('canary');
    const aWrong = fc.record({ branch: fc.constantFrom<unknown>(7, 'text', true), leaf: fc.constantFrom<unknown>({ a: {} }, [[]]) });
    fc.assert(
      fc.property(fc.constantFrom(...paths), aWrong, (path, { branch, leaf }) => {
        const result = parseCanary(mangled(path, (value) => (isBranch(value) ? branch : leaf)));
        const named = 'problems' in result ? result.problems.map((problem) => problem.path) : [];
        const field = fieldPath(path);
        expect(named, field).not.toEqual([]);
        expect(named.filter((each) => !each.startsWith(field) && !field.startsWith(each))).toEqual([]);
        // A condition, and a port by number or name, are refused whole; everything else at its own place.
        expect(
          named.some((each) => each.startsWith(field) || path.some((step) => step === 'exact' || step === 'prefix')),
          field,
        ).toBe(true);
      }),
      propertyRuns(5),
    );
  },
  propertyTimeoutMs,
);
