import { afterEach, describe, expect, it } from 'vitest';
import type { Provider, TargetRef } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { weight } from '../../src/api/routes.ts';
import { recordAnswer, trafficMetrics } from '../../src/embedded/mesh/traffic-metrics.ts';
import { parseExposition } from '../../src/embedded/prometheus/exposition.ts';
import { type EmbeddedPrometheus, startPrometheus } from '../../src/embedded/prometheus/index.ts';
import { renderQuery } from '../../src/metrics/query-template.ts';
import { queryVariables } from '../../src/metrics/query-variables.ts';
import { observerFor } from '../../src/routers/index.ts';
import { kuma } from '../../src/routers/kuma/router.ts';
import { raw } from '../fakes/raw.ts';
import { aCanary, anApex } from './routers-cases.ts';

const END_MS = 1_000_000_000;
const SCRAPE_MS = 15_000;
const SCRAPES = 5;
let prometheus: EmbeddedPrometheus | undefined;
afterEach(() => prometheus?.stop());

/** A pod of a workload, named as its controller names pods. */
function podOf(kind: 'Deployment' | 'DaemonSet', workload: string): KubeObject {
  const hash = kind === 'Deployment' ? '6c9f' : undefined;
  const owner = hash === undefined ? { kind, name: workload } : { kind: 'ReplicaSet', name: `${workload}-${hash}` };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${owner.name}-x2x4z`,
      namespace: 'prod',
      labels: hash === undefined ? {} : { 'pod-template-hash': hash },
      ownerReferences: [{ apiVersion: 'apps/v1', ...owner, uid: 'u', controller: true }],
    },
  };
}

/** The canary answers 3 of 4 requests well in 30 ms; the primary answers everything, in 600 ms. */
async function afterTraffic(canary: KubeObject, primary: KubeObject): Promise<void> {
  const metrics = trafficMetrics({});
  prometheus = await startPrometheus({ targets: [], now: () => END_MS });
  const to = (name: string) => ({ destination: { name, namespace: 'prod' }, isProxyError: false, method: 'GET', path: '/' });
  for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
    for (const status of [200, 200, 200, 500]) recordAnswer(metrics, { ...to('storefront-canary'), pod: canary, status, durationMs: 30 });
    for (let count = 0; count < 40; count += 1)
      recordAnswer(metrics, { ...to('storefront-primary'), pod: primary, status: 200, durationMs: 600 });
    const tMs = END_MS - (SCRAPES - 1 - scrape) * SCRAPE_MS;
    prometheus.ingest(parseExposition(metrics.text()).map(({ labels, value }) => ({ labels, value, tMs })));
  }
}

function asked(provider: Provider, targetRef: TargetRef, serviceName?: string): { rate: number; ms: number } {
  const canary = aCanary({ targetRef, service: serviceName === undefined ? {} : { name: serviceName } });
  const observer = observerFor(provider, targetRef.kind);
  const value = (template: string): number => {
    const query = renderQuery(template, queryVariables(canary, {}));
    if ('error' in query) throw new Error(query.error);
    const data = prometheus?.query(query.query);
    return data?.resultType === 'vector' ? Number(data.result[0]?.value[1]) : Number.NaN;
  };
  const inMs = observer.durationUnit === 's' ? 1000 : 1;
  return { rate: value(observer.requestSuccessRate), ms: value(observer.requestDuration) * inMs };
}

/** Buckets end at 25 and 50 ms: the 99th percentile lies between. */
const measured = { rate: expect.closeTo(75, 5), ms: expect.toSatisfy((ms: number) => ms > 25 && ms <= 50) };

const providersOfMeshes = ['istio', 'linkerd', 'osm', 'smi:v1alpha1', 'smi:v1alpha4', 'kubernetes', 'gatewayapi:v1'] as const;

describe("built-in queries over the proxies' counters", () => {
  it.each(providersOfMeshes)('%s judges the canary of a Deployment whose Services have another name', async (provider) => {
    await afterTraffic(podOf('Deployment', 'shop'), podOf('Deployment', 'shop-primary'));
    expect(asked(provider, { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' }, 'storefront')).toEqual(measured);
  });

  it.each(providersOfMeshes)('%s judges the canary of a DaemonSet, and not its primary', async (provider) => {
    await afterTraffic(podOf('DaemonSet', 'shop'), podOf('DaemonSet', 'shop-primary'));
    expect(asked(provider, { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'shop' }, 'storefront')).toEqual(measured);
  });

  it.each(['istio', 'linkerd', 'smi:v1alpha1', 'smi:v1alpha4'] as const)(
    '%s judges the canary of a Service target by its Service, whatever its pods are named',
    async (provider) => {
      await afterTraffic(podOf('Deployment', 'blue'), podOf('Deployment', 'green'));
      expect(asked(provider, { apiVersion: 'v1', kind: 'Service', name: 'storefront' })).toEqual(measured);
    },
  );
});

describe('built-in queries that name objects of a router', () => {
  it.each(['apisix', 'contour', 'gloo', 'kuma', 'skipper', 'traefik'] as const)(
    'those of %s name the Service and not the target',
    (provider) => {
      const canary = aCanary({ service: { name: 'storefront' } });
      const { requestSuccessRate, requestDuration } = observerFor(provider, 'Deployment');
      for (const template of [requestSuccessRate, requestDuration]) {
        const query = renderQuery(template, { ...queryVariables(canary, {}), ingress: 'web', route: 'web' });
        expect(query).toEqual({ query: expect.stringMatching(/^(?!.*shop).*storefront/s) });
      }
    },
  );

  it('the query of Kuma finds the name by which its TrafficRoute leads to the canary', () => {
    const canary = aCanary({ service: { name: 'storefront' } });
    const [route] = kuma.render(canary, anApex, { kind: 'weighted', canary: weight(10) }, []).write;
    const query = renderQuery(observerFor('kuma', 'Deployment').requestSuccessRate, queryVariables(canary, {}));
    const pattern = 'query' in query ? /service=~"([^"]+)"/.exec(query.query)?.[1] : undefined;
    expect(raw(route)?.spec.conf.split[1].destination['kuma.io/service']).toMatch(new RegExp(`^(?:${pattern})$`));
    expect(raw(route)?.spec.conf.split[0].destination['kuma.io/service']).not.toMatch(new RegExp(`^(?:${pattern})$`));
  });

  it.each([
    { naming: 'by default', prefix: '', separator: '-' },
    { naming: 'with safeNaming', prefix: 'prod_storefront_wrr_1_', separator: '_' },
  ])('the query of Traefik finds the canary and not the primary as Traefik names its services $naming', ({ prefix, separator }) => {
    const canary = aCanary({ service: { name: 'storefront' } });
    const query = renderQuery(observerFor('traefik', 'Deployment').requestSuccessRate, queryVariables(canary, {}));
    const pattern = new RegExp(`^(?:${'query' in query ? /service=~"([^"]+)"/.exec(query.query)?.[1] : ''})$`);
    const named = (...parts: string[]) => `${prefix}${[...parts, '80'].join(separator)}@kubernetescrd`;
    const { namespace } = canary.metadata;
    expect(named(namespace, 'storefront-canary')).toMatch(pattern);
    expect(named(namespace, 'storefront-primary')).not.toMatch(pattern);
    expect(named(`other-${namespace}`, 'storefront-canary')).not.toMatch(pattern);
    expect(named(namespace, 'my-storefront-canary')).not.toMatch(pattern);
  });
});
