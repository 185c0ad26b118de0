import { describe, expect, it } from 'vitest';
import { proxyRows, type ServicePod, serviceOf } from '../../../test/scenarios/service-proxy.ts';
import { ClientAffinity } from './client-affinity.ts';
import { laggedView } from './lagged-view.ts';
import { serviceEndpoints } from './service-proxy.ts';

const here = { node: 'n1', zone: 'z1' };
const away = { node: 'n9', zone: 'z9' };
const inside = { address: '10.0.0.7', isOutside: false };
const outside = { address: '192.0.2.7', isOutside: true };
const destination = { name: 'web', namespace: 'shop' };
const spread: readonly ServicePod[] = [here, { node: 'n2', zone: 'z1' }, { node: 'n3', zone: 'z2' }];

/** The Service, and its pods `pod-0`, `pod-1` … */
function viewOf(spec: object, pods: readonly ServicePod[]) {
  const view = laggedView(() => 0);
  const { service, slice } = serviceOf(destination, spec, pods, (pod) => `10.244.0.${pod}`);
  for (const next of [service, slice]) view.hear(next.kind, { next });
  return view;
}

const chosen = (spec: object, pods: readonly ServicePod[], { place = here, client = inside } = {}) =>
  serviceEndpoints(viewOf(spec, pods), destination, place, client, new ClientAffinity(() => 0))?.map(({ pod }) => pod);

describe('the Service proxy of a node', () => {
  it.each(proxyRows)('$title', ({ spec = {}, pods, place = here, goesTo }) => {
    expect(chosen(spec, pods, { place })).toEqual(goesTo.map((pod) => `pod-${pod}`));
  });
  it('a client outside comes in only by node ports, and follows externalTrafficPolicy', () => {
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

  it('a client stays where it is until the time since its last request is over', () => {
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
  it('three hours, where no time is said', () => {
    const { wait, goes, choices } = kept({});
    goes(2);
    wait(10_800);
    expect(choices()).toEqual(['pod-2']);
    wait(1);
    expect(choices()).toHaveLength(3);
  });
  it('another client is free, and a client whose endpoint is gone gets another', () => {
    const { goes, choices } = kept(short);
    goes(1);
    expect(choices({ ...inside, address: '10.0.0.8' })).toHaveLength(3);
    expect(choices(inside, spread.slice(0, 1))).toEqual(['pod-0']);
  });
});
