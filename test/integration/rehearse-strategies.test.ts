import { describe, expect, it } from 'vitest';
import { blamedChecks } from '../../src/rehearsal/verdict.ts';
import { isChosen, partOf, titleOf } from '../fakes/covering-part.ts';
import type { Raw } from '../fakes/raw.ts';
import { example, phasesOf, rehearsed, routesOf } from '../scenarios/rehearsals.ts';

/** Changes the Canary of an example to another provider. */
const PROVIDERS: Readonly<Record<string, (spec: Raw) => void>> = {
  linkerd: () => undefined,
  osm: () => undefined,
  'smi:v1alpha1': () => undefined,
  contour: () => undefined,
  gloo: () => undefined,
  traefik: () => undefined,
  nginx: (spec) => {
    spec.ingressRef = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'web' };
  },
  skipper: (spec) => {
    spec.ingressRef = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'web' };
  },
  apisix: (spec) => {
    spec.routeRef = { apiVersion: 'apisix.apache.org/v2', kind: 'ApisixRoute', name: 'web' };
  },
  'gatewayapi:v1': (spec) => {
    spec.service.gatewayRefs = [{ name: 'edge', namespace: 'test' }];
    spec.service.hosts = ['web.example.com'];
  },
};

const withProvider = (provider: string) =>
  example('istio-canary.yaml', ({ spec }: Raw) => {
    spec.provider = provider;
    PROVIDERS[provider]?.(spec);
  });

const part = partOf(2);
const providers = Object.keys(PROVIDERS).filter((_, row) => isChosen(part, row, 0));

it.each(providers)(
  `%s: users reach both versions, and a bad one is rolled back for its success rate (${titleOf(part)})`,
  async (provider) => {
    const rehearsal = await rehearsed(withProvider(provider), 'bad-5xx');
    expect(rehearsal.outcome).toBe('rolledBack');
    expect(blamedChecks(rehearsal)).toEqual(['request-success-rate']);
    expect(rehearsal.requests).toMatchObject({ old: { failed: 0 }, none: { sent: 0 } });
    expect(rehearsal.requests.new.failed).toBeGreaterThan(0);
  },
);

it.each([
  ['gatewayapi:v1', 'gateway.networking.k8s.io/v1', 'HTTPRoute'],
  ['istio', 'networking.istio.io/v1beta1', 'VirtualService'],
  ['contour', 'projectcontour.io/v1', 'HTTPProxy'],
])(
  'I17: %s: users reach both versions by a route of spec.routeRefs, and lose none of their requests',
  async (provider, apiVersion, kind) => {
    const listing = example('istio-canary.yaml', ({ spec }: Raw) => {
      spec.provider = provider;
      spec.routeRefs = [{ apiVersion, kind, name: 'of-the-user' }];
      spec.service = { port: 80, hosts: ['web.example.com'] };
    });
    const rehearsal = await rehearsed(listing, 'good');
    expect(rehearsal.outcome).toBe('promoted');
    expect(rehearsal.requests).toMatchObject({ old: { failed: 0 }, new: { failed: 0 }, none: { sent: 0 } });
    expect(rehearsal.requests.new.sent).toBeGreaterThan(0);
  },
);

describe('strategies', () => {
  it('A/B: requests that match reach the new version', async () => {
    const rehearsal = await rehearsed(example('ab-testing.yaml'), 'good');
    expect(rehearsal.outcome).toBe('promoted');
    expect(routesOf(rehearsal)).toContain('matched');
    expect(rehearsal.requests.new.sent).toBeGreaterThan(0);
  });
  it('blue/green: a load test measures a version that no user reaches', async () => {
    const judged = example('blue-green.yaml', ({ spec }: Raw) => {
      spec.analysis.metrics = [{ name: 'request-success-rate', thresholdRange: { min: 99 }, interval: '1m' }];
      spec.analysis.webhooks = [
        {
          name: 'load',
          type: 'rollout',
          url: 'http://loadtester.test/',
          metadata: { cmd: `hey -z 2m -q 10 -c 2 http://${spec.targetRef.name}-canary.test/` },
        },
      ];
    });
    expect((await rehearsed(judged, 'good')).outcome).toBe('promoted');
    const bad = await rehearsed(judged, 'bad-5xx');
    expect(bad.outcome).toBe('rolledBack');
    expect(blamedChecks(bad)).toEqual(['request-success-rate']);
    expect(bad.requests.new.sent).toBe(0);
  });
  it('mirroring: copies show a bad version that answers no user', async () => {
    const mirrored = example('istio-canary.yaml', ({ spec }: Raw) => {
      const { stepWeight: _, maxWeight: __, ...analysis } = spec.analysis;
      spec.analysis = { ...analysis, mirror: true, iterations: 5 };
    });
    const rehearsal = await rehearsed(mirrored, 'bad-5xx');
    expect(rehearsal.outcome).toBe('rolledBack');
    expect(routesOf(rehearsal)).toContain('mirrored');
    expect(rehearsal.requests.new).toEqual({ sent: 0, failed: 0 });
  });
  it.each(['daemon-set.yaml', 'knative.yaml', 'config-tracking.yaml'])(
    '%s: a good version is promoted, and users reach it',
    async (file) => {
      const { outcome, requests } = await rehearsed(example(file), 'good');
      expect(outcome).toBe('promoted');
      expect(requests.new.sent).toBeGreaterThan(0);
    },
  );
});

describe('faults', () => {
  it('an autoscaler at its maximum raises the peak of pods', async () => {
    const [good, scaled] = [await rehearsed(example('autoscaled.yaml'), 'good'), await rehearsed(example('autoscaled.yaml'), 'hpa-scales')];
    expect(scaled.peakPods).toBeGreaterThan(good.peakPods);
  });
  it('a quota without room for the new version keeps it from users', async () => {
    const { outcome, requests } = await rehearsed(example('istio-canary.yaml'), 'quota');
    expect(outcome).toBe('rolledBack');
    expect(requests.new.sent).toBe(0);
  });
  it('a controller that is killed goes on where it was', async () => {
    const rehearsal = await rehearsed(example('istio-canary.yaml'), 'controller-killed');
    expect(rehearsal.outcome).toBe('promoted');
    expect(phasesOf(rehearsal)).toEqual(['Initializing', 'Initialized', 'Progressing', 'Promoting', 'Finalising', 'Succeeded']);
  });
  it('a gate that never opens holds the release', async () => {
    expect((await rehearsed(example('load-tester.yaml'), 'gate-never-opens')).outcome).toBe('unfinished');
  });
  it('a gate that never opens ends the release where gateTimeout limits it', async () => {
    const limited = example('load-tester.yaml', ({ spec }: Raw) => {
      spec.analysis.gateTimeout = '2m';
    });
    const { outcome, ending } = await rehearsed(limited, 'gate-never-opens');
    expect([outcome, ending?.code]).toEqual(['rolledBack', 'GateTimeout']);
  });
  it('without Prometheus no check passes', async () => {
    const rehearsal = await rehearsed(example('istio-canary.yaml'), 'prometheus-down');
    expect(rehearsal.outcome).toBe('rolledBack');
    expect(blamedChecks(rehearsal)).toEqual(['request-success-rate', 'request-duration']);
  });
  it.each(['webhook-5xx', 'no-traffic'])('%s: the release does not go on', async (scenario) => {
    expect((await rehearsed(example('istio-canary.yaml'), scenario)).outcome).toBe('rolledBack');
  });
  it.each(['node-drain', 'lagging-proxies'])('%s: a good version is promoted all the same', async (scenario) => {
    expect((await rehearsed(example('istio-canary.yaml'), scenario)).outcome).toBe('promoted');
  });
});
