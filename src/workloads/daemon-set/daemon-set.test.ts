import { describe, expect, it } from 'vitest';
import { asDaemonSet } from '../../api/kinds/daemon-set.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { mergePatch } from '../../embedded/apiserver/patch.ts';
import { daemonSet } from './daemon-set.ts';

const key = 'flagger.app/scale-to-zero';
const aDaemonSet = (spec: object = {}, status: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'test', generation: 2, resourceVersion: '7' },
  spec: { selector: { matchLabels: { app: 'agent' } }, template: { spec: { containers: [], ...spec } } },
  status: { observedGeneration: 2, ...status },
});

describe('scaling', () => {
  it.each([
    { what: 'no selector of its own', own: undefined },
    { what: 'a selector of the user', own: { disk: 'ssd' } },
  ])('with $what only our key comes and goes', ({ own }) => {
    const target = aDaemonSet(own ? { nodeSelector: own } : {});
    const down = daemonSet.scalePatch(target, 0);
    expect(down).toEqual({
      patch: { metadata: { resourceVersion: '7' }, spec: { template: { spec: { nodeSelector: { [key]: 'true' } } } } },
    });
    const zero = asDaemonSet(mergePatch(structuredClone(target), down?.patch ?? {}) as KubeObject);
    expect(zero.spec.template.spec.nodeSelector).toEqual({ ...own, [key]: 'true' });
    const up = asDaemonSet(mergePatch(structuredClone(zero), daemonSet.scalePatch(zero, 3)?.patch ?? {}) as KubeObject);
    expect(up.spec.template.spec.nodeSelector ?? {}).toEqual(own ?? {});
  });

  it('the key, and an empty selector, are no part of the revision', () => {
    const plain = daemonSet.revision(aDaemonSet());
    expect(daemonSet.revision(aDaemonSet({ nodeSelector: {} }))).toBe(plain);
    expect(daemonSet.revision(aDaemonSet({ nodeSelector: { [key]: 'true' } }))).toBe(plain);
    expect(daemonSet.revision(aDaemonSet({ nodeSelector: { disk: 'ssd' } }))).not.toBe(plain);
  });

  it("the count of its templates is the server's, and outlives slimming", () => {
    const counted = aDaemonSet();
    counted.metadata.annotations = { 'deprecated.daemonset.template.generation': '7' };
    expect(daemonSet.rollout?.(daemonSet.slim(counted))).toBe('7');
    expect(daemonSet.rollout?.(aDaemonSet())).toBeUndefined();
  });

  it('a slim object still shows whether it is at zero', () => {
    expect(daemonSet.replicas(daemonSet.slim(aDaemonSet({ nodeSelector: { [key]: 'true' } })))).toBe(0);
    expect(daemonSet.replicas(daemonSet.slim(aDaemonSet()))).toBe(1);
  });
});

describe('readiness', () => {
  it.each([
    { status: { observedGeneration: 1, desiredNumberScheduled: 2 }, state: 'waiting', why: 'not observed' },
    { status: { desiredNumberScheduled: 4, updatedNumberScheduled: 4, numberAvailable: 4 }, state: 'ready' },
    {
      status: { desiredNumberScheduled: 4, updatedNumberScheduled: 3, numberAvailable: 4 },
      state: 'waiting',
      why: '3 of 4 pods',
    },
    {
      status: { desiredNumberScheduled: 4, updatedNumberScheduled: 4, numberAvailable: 3 },
      state: 'waiting',
      why: '3 of 4',
    },
    {
      threshold: 50,
      status: { desiredNumberScheduled: 4, updatedNumberScheduled: 4, numberAvailable: 2 },
      state: 'ready',
    },
    {
      threshold: 50,
      status: { desiredNumberScheduled: 4, updatedNumberScheduled: 4, numberAvailable: 1 },
      state: 'waiting',
      why: '1 of 2',
    },
    {
      threshold: 53,
      status: { desiredNumberScheduled: 100, updatedNumberScheduled: 100, numberAvailable: 52 },
      state: 'waiting',
      why: '52 of 53',
    },
    {
      threshold: 29,
      status: { desiredNumberScheduled: 100, updatedNumberScheduled: 100, numberAvailable: 29 },
      state: 'ready',
    },
    {
      threshold: 0,
      status: { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 0 },
      state: 'waiting',
      why: '0 of 1',
    },
    { status: { desiredNumberScheduled: 0 }, state: 'waiting', why: 'no node takes its pods' },
  ])('$status at threshold $threshold is $state', ({ status, threshold = 100, state, why }) => {
    const found = daemonSet.readiness(aDaemonSet({}, status), threshold);
    expect(found.state).toBe(state);
    if (why) expect(found.reason).toContain(why);
  });

  it('it never gives up by itself, however long it has been unavailable', () => {
    const old = {
      desiredNumberScheduled: 1,
      updatedNumberScheduled: 1,
      numberAvailable: 0,
      conditions: [{ type: 'Progressing', status: 'False' }],
    };
    expect(daemonSet.readiness(aDaemonSet({}, old), 100).state).toBe('waiting');
  });

  it('a DaemonSet without pods is ready if we have stopped them', () => {
    const zero = aDaemonSet({ nodeSelector: { [key]: 'true' } }, { desiredNumberScheduled: 0 });
    expect(daemonSet.readiness(zero, 100)).toMatchObject({ state: 'ready', wanted: 0 });
  });
});

describe('leaving', () => {
  const zero = { nodeSelector: { [key]: 'true' } };
  it.each([
    { what: 'not sent away', spec: {}, status: { numberMisscheduled: 2 }, ms: undefined },
    { what: 'sent away, not observed', spec: zero, status: { observedGeneration: 1 }, ms: 35_000 },
    { what: 'sent away, pods left', spec: zero, status: { numberMisscheduled: 1 }, ms: 35_000 },
    {
      what: 'pods with a grace of their own',
      spec: { ...zero, terminationGracePeriodSeconds: 5 },
      status: { numberMisscheduled: 1 },
      ms: 10_000,
    },
    { what: 'all gone', spec: zero, status: { numberMisscheduled: 0 }, ms: undefined },
  ])('I10: $what: not raised for $ms ms', ({ spec, status, ms }) => {
    expect(daemonSet.leavingForMs?.(daemonSet.slim(aDaemonSet(spec, status)))).toBe(ms);
  });
});

it.each([
  { type: undefined, refused: false },
  { type: 'RollingUpdate', refused: false },
  { type: 'OnDelete', refused: true },
])('updateStrategy $type is refused: $refused', ({ type, refused }) => {
  const target = aDaemonSet();
  if (type) asDaemonSet(target).spec.updateStrategy = { type };
  expect(daemonSet.refuses?.(target) !== undefined).toBe(refused);
  if (refused)
    expect(daemonSet.refuses?.(target)).toEqual({
      problem: expect.stringContaining('set it to RollingUpdate'),
      field: 'spec.updateStrategy.type',
    });
});
