import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { ClientAffinity } from './client-affinity.ts';
import { laggedView } from './lagged-view.ts';
import { serviceEndpoints } from './service-proxy.ts';

interface Pod {
  node: string;
  zone: string;
  is?: 'ready' | 'starting' | 'draining' | 'closed';
  hints?: 'zone' | 'node';
}
const away = { node: 'n9', zone: 'z9' };
const here = { node: 'n1', zone: 'z1' };
const inside = { address: '10.0.0.7', isOutside: false };
const outside = { address: '192.0.2.7', isOutside: true };
const destination = { name: 'web', namespace: 'shop' };

/** The Service, and its pods `pod-0`, `pod-1` … */
function viewOf(spec: object, pods: readonly Pod[]) {
  const view = laggedView(() => 0);
  const service = { apiVersion: 'v1', kind: 'Service', metadata: destination, spec: { type: 'ClusterIP', ...spec } };
  const endpoints = pods.map(({ node, zone, is = 'ready', hints }, index) => ({
    addresses: [`10.244.0.${index}`],
    nodeName: node,
    zone,
    conditions: { ready: is === 'ready', serving: is === 'ready' || is === 'draining', terminating: is === 'draining' || is === 'closed' },
    targetRef: { kind: 'Pod', name: `pod-${index}`, namespace: 'shop' },
    ...(hints && { hints: { forZones: [{ name: zone }], ...(hints === 'node' && { forNodes: [{ name: node }] }) } }),
  }));
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
    endpoints,
  };
  for (const next of [service, slice] as KubeObject[]) view.hear(next.kind, { next });
  return view;
}

const chosen = (spec: object, pods: readonly Pod[], { place = here, client = inside } = {}) =>
  serviceEndpoints(viewOf(spec, pods), destination, place, client, new ClientAffinity(() => 0))?.map(({ pod }) => pod);

const [mine, neighbour, far]: Pod[] = [
  { node: 'n1', zone: 'z1' },
  { node: 'n2', zone: 'z1' },
  { node: 'n3', zone: 'z2' },
] as const;
const spread = [mine, neighbour, far].flatMap((pod) => pod ?? []);
const hinted = (hints: 'zone' | 'node', pods = spread) => pods.map((pod) => ({ ...pod, hints }));
const local = { internalTrafficPolicy: 'Local' };

describe('the Service proxy of a node', () => {
  it('07-S5: without a wish any ready endpoint will do', () => {
    expect(chosen({}, spread)).toEqual(['pod-0', 'pod-1', 'pod-2']);
    expect(chosen({ internalTrafficPolicy: 'Cluster' }, spread)).toHaveLength(3);
  });
  it('07-S7: Local takes the endpoints of its own node, and where there is none, none', () => {
    expect(chosen(local, spread)).toEqual(['pod-0']);
    expect(chosen(local, spread, { place: away })).toEqual([]);
  });
  it('07-S8: hints for zones keep requests in the zone, and a zone without an endpoint uses any endpoint', () => {
    expect(chosen({}, hinted('zone'))).toEqual(['pod-0', 'pod-1']);
    expect(chosen({}, hinted('zone'), { place: away })).toHaveLength(3);
    const notReady = hinted('zone').map((pod) => (pod.zone === 'z1' ? { ...pod, is: 'starting' as const } : pod));
    expect(chosen({}, notReady)).toEqual(['pod-2']);
  });
  it('07-S8: hints for nodes keep them at the node, then in the zone, then anywhere', () => {
    expect(chosen({}, hinted('node'))).toEqual(['pod-0']);
    expect(chosen({}, hinted('node'), { place: { node: 'n8', zone: 'z1' } })).toEqual(['pod-0', 'pod-1']);
    expect(chosen({}, hinted('node'), { place: away })).toHaveLength(3);
  });
  it('07-S9: a policy of Local wins over hints', () => {
    expect(chosen(local, hinted('zone'), { place: { node: 'n2', zone: 'z1' } })).toEqual(['pod-1']);
    expect(chosen(local, hinted('zone'), { place: away })).toEqual([]);
  });
  it('07-S10: hints count only when every ready endpoint has one; the field of the Service itself says nothing', () => {
    const partly = hinted('zone').map((pod, index) => (index === 2 ? { node: 'n3', zone: 'z2' } : pod));
    expect(chosen({ trafficDistribution: 'PreferSameZone' }, partly)).toHaveLength(3);
    expect(chosen({ trafficDistribution: 'PreferSameZone' }, spread)).toHaveLength(3);
    const [first, second, third] = hinted('zone');
    const starting = [first, second, { node: 'n3', zone: 'z2', is: 'starting' as const }].flatMap((pod) => pod ?? []);
    expect(chosen({}, starting), 'one that is not ready needs none').toEqual(['pod-0', 'pod-1']);
    expect(third?.hints).toBe('zone');
  });
  it('07-S11: who is leaving gets nothing while another one is ready, and serves on where none is', () => {
    const [a, b, c] = spread.map((pod) => ({ ...pod, is: 'draining' as const }));
    const [, readyThere] = spread;
    expect(
      chosen(
        {},
        [a, readyThere, c].flatMap((pod) => pod ?? []),
      ),
    ).toEqual(['pod-1']);
    expect(
      chosen(
        {},
        [a, b, c].flatMap((pod) => pod ?? []),
      ),
    ).toHaveLength(3);
    expect(
      chosen(
        local,
        [a, readyThere].flatMap((pod) => pod ?? []),
      ),
      'under Local, of the node',
    ).toEqual(['pod-0']);
    const leaving = [a, b, c].flatMap((pod) => pod ?? []);
    expect(chosen(local, leaving, { place: away }), 'and of no other').toEqual([]);
    expect(chosen({}, [{ node: 'n1', zone: 'z1', is: 'closed' }]), 'who answers no more').toEqual([]);
  });
  it('07-S13: a pod that is not ready gets no request, even as the only one and even from its own node', () => {
    expect(chosen({}, [{ node: 'n1', zone: 'z1', is: 'starting' }])).toEqual([]);
    expect(chosen(local, [{ node: 'n1', zone: 'z1', is: 'starting' }, ...spread.slice(1)])).toEqual([]);
  });
  it('07-S4: a client outside comes in by node ports only, and goes by externalTrafficPolicy', () => {
    const open = { type: 'NodePort', internalTrafficPolicy: 'Local', externalTrafficPolicy: 'Cluster' };
    expect(chosen({}, spread, { client: outside })).toEqual([]);
    expect(chosen(open, spread, { client: outside })).toHaveLength(3);
    expect(chosen({ ...open, externalTrafficPolicy: 'Local' }, spread, { client: outside, place: away })).toEqual([]);
    expect(chosen({ ...open, externalTrafficPolicy: 'Local' }, spread, { client: outside })).toEqual(['pod-0']);
  });
  it('it knows no endpoint of a Service that it has not received', () => {
    const view = laggedView(() => 0);
    expect(serviceEndpoints(view, destination, here, inside, new ClientAffinity(() => 0))).toBeUndefined();
  });
});

describe('sessionAffinity: ClientIP', () => {
  const kept = (config: object, pods = spread) => {
    let nowMs = 0;
    const affinity = new ClientAffinity(() => nowMs);
    const spec = { sessionAffinity: 'ClientIP', ...config };
    return {
      wait: (seconds: number) => {
        nowMs += seconds * 1000;
      },
      goes: (pod: number) => affinity.keep('shop/web', inside.address, `10.244.0.${pod}`),
      choices: (client = inside, now = pods) =>
        serviceEndpoints(viewOf(spec, now), destination, here, client, affinity)?.map(({ pod }) => pod),
    };
  };
  const short = { sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } };

  it('07-S6: a client stays where it is until the time since its last request is over', () => {
    const { wait, goes, choices } = kept(short);
    expect(choices()).toHaveLength(3);
    goes(1);
    wait(60);
    expect(choices()).toEqual(['pod-1']);
    goes(1);
    wait(60);
    expect(choices(), 'counted from the last request').toEqual(['pod-1']);
    wait(1);
    expect(choices()).toHaveLength(3);
  });
  it('07-S6: three hours, where no time is said', () => {
    const { wait, goes, choices } = kept({});
    goes(2);
    wait(10_800);
    expect(choices()).toEqual(['pod-2']);
    wait(1);
    expect(choices()).toHaveLength(3);
  });
  it('07-S6: another client is free, and one whose endpoint is gone gets another', () => {
    const { goes, choices } = kept(short);
    goes(1);
    expect(choices({ ...inside, address: '10.0.0.8' })).toHaveLength(3);
    expect(choices(inside, spread.slice(0, 1))).toEqual(['pod-0']);
  });
});
