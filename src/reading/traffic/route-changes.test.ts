import { describe, expect, it } from 'vitest';
import { asMade } from '../../../test/contracts/routers-cases.ts';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { aDeployment } from '../../../test/scenarios/troubles/objects.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { routers } from '../../routers/index.ts';
import { deployment } from '../../workloads/deployment/deployment.ts';
import { routeChanges } from './route-changes.ts';
import { readRouteObjects } from './route-objects.ts';

const target = aDeployment('test', 'podinfo');
const share: Routes = { kind: 'weighted', canary: weight(20) };
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** The VirtualService of these routes, and the Canary that records them. */
function routed(routes: Routes, spec: Partial<Canary['spec']> = {}) {
  const { canary } = initialized(aCanary({ stepWeight: 20 }, { provider: 'istio', ...spec }));
  const recorded = { ...plain(canary), status: { ...canary.status, release: { ...canary.status?.release, routes } } } as KubeObject;
  const apex = {
    selector: { key: 'app', target: 'podinfo', primary: 'podinfo-primary' },
    ports: [{ name: 'http', port: 80, targetPort: 8080 }],
  };
  const objects = plain(routers.istio.render(canary, apex as never, routes, []).write.map(asMade)) as KubeObject[];
  const virtualService = objects.find(({ kind }) => kind === 'VirtualService');
  if (!virtualService) throw new Error('istio renders a VirtualService');
  return { recorded, objects, virtualService };
}

const changesOf = async (recorded: KubeObject, objects: readonly KubeObject[]) =>
  routeChanges(await readRouteObjects(raw(new HeldCluster([recorded, ...objects])), recorded, 'istio'), { workload: deployment, target });

describe('fields of route objects beside those of a time without a release', () => {
  it('a share of the traffic is one change for each weight, with both values', async () => {
    const { recorded, objects } = routed(share);
    expect(await changesOf(recorded, objects)).toEqual([
      { object: 'VirtualService test/podinfo', field: 'spec.http[0].route[0].weight', before: '100', now: '80' },
      { object: 'VirtualService test/podinfo', field: 'spec.http[0].route[1].weight', before: '0', now: '20' },
    ]);
  });

  it('defaults of the API server, marks of other tools and records of earlier specs are left out', async () => {
    const { recorded, objects, virtualService } = routed(allToPrimary);
    Object.assign(virtualService.metadata, { uid: 'u', resourceVersion: '7', managedFields: [{ manager: 'serin' }] });
    const { annotations = {} } = virtualService.metadata;
    virtualService.metadata.annotations = {
      ...annotations,
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'example.com/seen': 'x',
    };
    raw(virtualService).spec.exportTo = ['*'];
    expect(await changesOf(recorded, objects)).toEqual([]);
  });

  it('an entry that another writer added to a list of Serin is shown as added', async () => {
    const { recorded, objects, virtualService } = routed(allToPrimary);
    raw(virtualService).spec.http.push({ route: [{ destination: { host: 'elsewhere' } }] });
    expect(await changesOf(recorded, objects)).toEqual([
      {
        object: 'VirtualService test/podinfo',
        field: 'spec.http[1]',
        now: '{"route":[{"destination":{"host":"elsewhere"}}]}',
      },
    ]);
  });

  it('a missing object is shown as removed', async () => {
    const { recorded, objects, virtualService } = routed(allToPrimary);
    const changes = await changesOf(
      recorded,
      objects.filter((one) => one !== virtualService),
    );
    expect(changes).toMatchObject([
      { object: 'VirtualService test/podinfo', field: '', before: expect.stringContaining('podinfo-primary') },
    ]);
    expect(changes[0]).not.toHaveProperty('now');
  });

  it('a value that could be a credential is not shown, before or now', async () => {
    const headers = { request: { set: { authorization: 'Bearer hunter2' } } };
    const { recorded, objects, virtualService } = routed(allToPrimary, { service: { port: 80, headers } as never });
    expect(JSON.stringify(virtualService)).toContain('hunter2');
    const text = JSON.stringify(virtualService).replaceAll('hunter2', 'hunter3');
    Object.assign(virtualService, JSON.parse(text));
    const changes = await changesOf(recorded, objects);
    expect(changes).toMatchObject([{ before: '(not shown)', now: '(not shown)' }]);
    expect(JSON.stringify(changes)).not.toContain('hunter');
  });

  it('an object that another writer nested too deep is changed as a whole, and not looked into', async () => {
    const { recorded, objects, virtualService } = routed(allToPrimary);
    let deep: unknown = {};
    for (let level = 0; level < 100; level += 1) deep = { http: deep };
    raw(virtualService).spec.http[0].route[0].destination = deep;
    const not = '(not shown)';
    expect(await changesOf(recorded, objects)).toEqual([{ object: 'VirtualService test/podinfo', field: '', before: not, now: not }]);
  });

  it('without a provider it is the selector of the Service', async () => {
    const { canary } = initialized(aCanary({ iterations: 2 }, { provider: 'kubernetes' }));
    const service = (name: string, app: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'test' },
      spec: { selector: { app }, type: 'ClusterIP' },
    });
    const changes = await changesOf(plain(canary) as KubeObject, [
      service('podinfo', 'podinfo'),
      service('podinfo-primary', 'podinfo-primary'),
    ]);
    expect(changes).toContainEqual({
      object: 'Service test/podinfo',
      field: 'spec.selector.app',
      before: '"podinfo-primary"',
      now: '"podinfo"',
    });
  });
});
