import { describe, expect, it } from 'vitest';
import type { Provider } from '../../src/api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../src/api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../src/api/routes.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { readTraffic } from '../../src/reading/traffic/read-traffic.ts';
import { routeChanges } from '../../src/reading/traffic/route-changes.ts';
import { readRouteObjects } from '../../src/reading/traffic/route-objects.ts';
import { routers } from '../../src/routers/index.ts';
import type { Router } from '../../src/routers/router.ts';
import { workloadFor } from '../../src/workloads/index.ts';
import { raw } from '../fakes/raw.ts';
import { initialized } from '../fakes/world.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { routerCases } from './routers/index.ts';
import { aCanary, anApex, asMade } from './routers-cases.ts';

const share: Routes = { kind: 'weighted', canary: weight(20) };

function clusterOf(objects: readonly KubeObject[]): Cluster {
  const get = async (ref: ObjectRef) => objects.find((one) => refKey(refOf(one)) === refKey(ref));
  const list = async ({ kind }: { kind: string }) => ({ items: objects.filter((one) => one.kind === kind), resourceVersion: '1' });
  return { get, list } as unknown as Cluster;
}

/** The Canary and what its provider's objects hold, at 20% unless the routes are others. */
function routed(provider: string, routes = share): KubeObject[] {
  const known = routerCases[provider as Provider];
  const router: Router = routers[provider as Provider];
  const canary = aCanary({ provider, ...known?.spec, service: known?.service ?? {}, analysis: { stepWeight: 10 } });
  const inPlace = known?.inPlace ?? [];
  const objects = new Map(inPlace.map((object) => [refKey(refOf(object)), object]));
  for (const object of router.render(canary, anApex, routes, inPlace).write.map(asMade)) {
    const found = objects.get(refKey(refOf(object)));
    const metadata = { ...found?.metadata, ...object.metadata };
    objects.set(refKey(refOf(object)), {
      ...found,
      ...object,
      metadata,
      ...(raw(object).spec && { spec: { ...raw(found)?.spec, ...raw(object).spec } }),
    });
  }
  return [canary as unknown as KubeObject, ...objects.values()];
}

describe('serin traffic show', () => {
  const weighted = Object.entries(routers).flatMap(([provider, router]) => (router.supports.weights ? [provider] : []));
  it.each(weighted)('reads the split of a Canary on %s from its objects', async (provider) => {
    const seen = await readTraffic(clusterOf(routed(provider)), 'prod', 'shop', 'istio');
    expect(seen).toMatchObject({
      object: { kind: 'Canary', name: 'shop' },
      provider,
      traffic: { kind: 'weighted', primary: 80, canary: 20 },
      readFrom: expect.arrayContaining([expect.any(String)]),
    });
  });

  it.each(weighted)('the fields of the routes on %s: none differs without a release, the share does in one', async (provider) => {
    const changesAt = async (routes: Routes) => {
      const [canary, ...objects] = routed(provider, routes);
      const status = { ...initialized().canary.status, release: { ...initialized().canary.status?.release, routes } };
      const recorded = { ...canary, status } as unknown as KubeObject;
      const workload = workloadFor(aCanary().spec.targetRef);
      if ('unsupported' in workload) throw new Error(workload.unsupported);
      return routeChanges(await readRouteObjects(clusterOf(objects), recorded, 'istio'), { workload, target: aDeployment('prod', 'shop') });
    };
    expect(await changesAt(allToPrimary)).toEqual([]);
    const changes = await changesAt(share);
    expect(changes.map(({ now = '', before = '' }) => `${before} ${now}`).join('\n')).toMatch(/20|80/);
    expect(new Set(changes.map(({ object }) => object.split(/[ /]/).at(-1)?.slice(0, 4)))).toEqual(new Set(['shop']));
  });

  const service = (name: string, app: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'prod' },
    spec: { selector: { app } },
  });
  it.each([
    ['the primary', 'shop-primary', 0],
    ['the target, before Serin has taken over', 'shop', 100],
  ])('without a provider the apex Service decides: %s', async (_, app, canaryGets) => {
    const canary = aCanary({ provider: 'kubernetes', analysis: { iterations: 1 } }) as unknown as KubeObject;
    const objects = [canary, service('shop', app), service('shop-primary', 'shop-primary')];
    expect((await readTraffic(clusterOf(objects), 'prod', 'shop', 'istio')).traffic).toEqual({
      kind: 'weighted',
      primary: 100 - canaryGets,
      canary: canaryGets,
    });
  });

  it('finds a Canary by the Service that it routes, and uses --mesh-provider if the Canary names no provider', async () => {
    const canary = aCanary({ service: { name: 'storefront' }, analysis: { iterations: 1 } }) as unknown as KubeObject;
    const objects = [canary, service('storefront', 'shop-primary'), service('storefront-primary', 'shop-primary')];
    expect(await readTraffic(clusterOf(objects), 'prod', 'storefront', 'kubernetes')).toMatchObject({
      object: { name: 'shop' },
      provider: 'kubernetes',
    });
  });

  it('a Knative Service without a Canary is shown as its status has it, with the addresses of tags', async () => {
    const traffic = [{ revisionName: 'web-00001', percent: 100, tag: 'now', url: 'http://now-web.prod.test' }];
    const knative = {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'prod' },
      status: { traffic },
    };
    expect(await readTraffic(clusterOf([knative]), 'prod', 'web', 'istio')).toMatchObject({
      provider: 'knative',
      revisions: [{ revision: 'web-00001', latest: false, percent: 100, tag: 'now', url: 'http://now-web.prod.test' }],
    });
  });

  it('names the object that it did not find', async () => {
    await expect(readTraffic(clusterOf([]), 'prod', 'shop', 'istio')).rejects.toThrow(/shop not found in namespace prod/);
  });
});
