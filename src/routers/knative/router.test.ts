import { describe, expect, it } from 'vitest';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { Canary } from '../../api/canary.ts';
import { knativeRevisionId } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { RoutingError } from '../routing-error.ts';
import { knative } from './router.ts';

const apex = { selector: { key: 'app', target: 'shop', primary: 'shop-primary' }, ports: [] };
const share = (percent: number): Routes => ({ kind: 'weighted', canary: weight(percent) });

function aCanary(pinned?: string): Canary {
  const canary = parsedCanary(
    { provider: 'knative', targetRef: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'shop' } },
    { name: 'shop', namespace: 'prod' },
  );
  if (pinned === undefined) return canary;
  const times = { startedMs: 0, stepStartedMs: 0, failedChecks: 0, iterations: 0, run: 1, observedGeneration: 0 };
  const release = { ...times, targetUid: 't', revision: knativeRevisionId(pinned, undefined), step: 'analysing', routes: allToPrimary };
  return { ...canary, status: { phase: 'Progressing', failedChecks: 0, canaryWeight: 0, iterations: 0, release } };
}

function aService(traffic: object[], status: object = {}, primary: string | undefined = 'shop-00001'): KubeObject {
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: {
      name: 'shop',
      namespace: 'prod',
      generation: 1,
      ...(primary && { annotations: { 'flagger.app/primary-revision': primary } }),
    },
    spec: { traffic },
    status: { latestCreatedRevisionName: 'shop-00002', ...status },
  };
}
const trafficOf = (canary: Canary, routes: Routes, service: KubeObject) =>
  raw(knative.render(canary, apex, routes, [service]).write[0])?.spec.traffic;

describe('render', () => {
  it('names both revisions, and never the latest one', () => {
    expect(trafficOf(aCanary('shop-00002'), share(20), aService([{ latestRevision: true, percent: 100 }]))).toEqual([
      { revisionName: 'shop-00002', percent: 20 },
      { revisionName: 'shop-00001', percent: 80 },
    ]);
  });

  it('I3: a revision that the user pushes meanwhile gets nothing, the pinned one keeps its share', () => {
    const current = aService(
      [
        { revisionName: 'shop-00002', percent: 20, latestRevision: false },
        { revisionName: 'shop-00001', percent: 80 },
      ],
      { latestCreatedRevisionName: 'shop-00003' },
    );
    expect(JSON.stringify(trafficOf(aCanary('shop-00002'), share(40), current))).not.toContain('00003');
    expect(() => knative.render(aCanary('shop-00009'), apex, share(40), [current])).toThrow(RoutingError);
  });

  it('at no share the canary is not named: a rested revision can be cleared away', () => {
    expect(trafficOf(aCanary('shop-00002'), share(0), aService([]))).toEqual([{ revisionName: 'shop-00001', percent: 100 }]);
  });

  it('the tags of the user stay, without a share', () => {
    const tagged = [
      { tag: 'current', revisionName: 'shop-00001', percent: 60, extra: 1 },
      { tag: 'next', latestRevision: true, percent: 40 },
    ];
    expect(trafficOf(aCanary('shop-00002'), share(0), aService(tagged))).toEqual([
      { revisionName: 'shop-00001', percent: 100 },
      { tag: 'current', revisionName: 'shop-00001', percent: 0, extra: 1 },
      { tag: 'next', latestRevision: true, percent: 0 },
    ]);
  });

  it('after the promotion both are one revision, and every shift still sums to 100 and reads back', () => {
    const promoted = (traffic: object[]) => aService(traffic, {}, 'shop-00002');
    for (const percent of [100, 60, 10, 0]) {
      const traffic = trafficOf(aCanary('shop-00002'), share(percent), promoted([]));
      expect(traffic.reduce((sum: number, one: { percent: number }) => sum + one.percent, 0)).toBe(100);
      const read = knative.readRoutes(aCanary('shop-00002'), [promoted(traffic)]);
      // All of it on the canary's entry and all of it on the primary's are the same words.
      expect(read).toEqual(share(percent === 100 ? 0 : percent));
    }
  });

  it('without the annotation nothing is written, and the error names it', () => {
    expect(() => knative.render(aCanary(), apex, share(0), [aService([], {}, '')])).toThrow(/flagger.app\/primary-revision/);
  });
});

describe('readRoutes', () => {
  it.each([
    {
      what: "Flagger's traffic",
      traffic: [
        { latestRevision: true, percent: 20 },
        { revisionName: 'shop-00001', percent: 80 },
      ],
      read: share(20),
    },
    { what: 'no traffic block yet', traffic: [], read: undefined },
    { what: 'entries without a percentage, or with none', traffic: [{ revisionName: 'a', percent: 0 }, { tag: 'b' }], read: undefined },
    {
      what: 'two revisions beside entries without traffic',
      traffic: [
        { revisionName: 'a', percent: 0 },
        { revisionName: 'shop-00002', percent: 1 },
        { revisionName: 'shop-00001', percent: 99 },
        { tag: 'b', latestRevision: true },
      ],
      read: share(1),
    },
    { what: 'all on the canary', traffic: [{ revisionName: 'shop-00002', percent: 100 }], read: share(100) },
    { what: 'a sum of 90', traffic: [{ revisionName: 'shop-00001', percent: 90 }], read: { unreadable: expect.stringContaining('sum') } },
    {
      what: 'a third revision',
      traffic: [
        { revisionName: 'a', percent: 20 },
        { revisionName: 'b', percent: 30 },
        { revisionName: 'shop-00001', percent: 50 },
      ],
      read: { unreadable: expect.stringContaining('more than two') },
    },
  ])('reads $what', ({ traffic, read }) => {
    expect(knative.readRoutes(aCanary(), [aService(traffic)])).toEqual(read);
  });
});

describe('isInForce', () => {
  const spec = [
    { revisionName: 'shop-00002', percent: 20 },
    { revisionName: 'shop-00001', percent: 80 },
  ];
  const applied = [
    { revisionName: 'shop-00001', percent: 80, latestRevision: false },
    { revisionName: 'shop-00002', percent: 20 },
  ];
  const isInForce = (routes: object, traffic: object[] = applied, observedGeneration = 1) => {
    const conditions = [{ type: 'RoutesReady', ...routes }];
    return knative.isInForce?.(aCanary(), [aService(spec, { traffic, conditions, observedGeneration })]);
  };

  it('traffic in the status is in force once the routes are ready, with any order and flags', () => {
    expect(isInForce({ status: 'True' })).toBe(true);
    expect(isInForce({ status: 'True' }, [{ revisionName: 'shop-00001', percent: 100 }])).toBe(false);
  });

  it.each([
    { what: 'the gateways go by what was before', routes: { status: 'Unknown', reason: 'IngressNotConfigured' }, expected: false },
    { what: 'a gateway failed', routes: { status: 'False', reason: 'LoadBalancerFailed' }, expected: false },
    { what: 'two entries name one revision', routes: { status: 'Unknown', reason: 'TrafficNotMigrated' }, expected: true },
  ])('where $what it is in force: $expected', ({ routes, expected }) => expect(isInForce(routes)).toBe(expected));

  it('without the condition only the status decides', () => {
    const said = (traffic: object[]) => knative.isInForce?.(aCanary(), [aService(spec, { traffic, observedGeneration: 1 })]);
    expect([said(applied), said([{ revisionName: 'shop-00001', percent: 100 }])]).toEqual([true, false]);
  });

  it('a Service without a status is not in force', () => {
    const { status: _, ...service } = aService(spec);
    expect(knative.isInForce?.(aCanary(), [service])).toBe(false);
  });

  it('a status of an earlier generation says nothing', () => expect(isInForce({ status: 'True' }, applied, 0)).toBe(false));
});
