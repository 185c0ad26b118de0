import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { isForbidden } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { eventually, eventuallyHolds } from './eventually.ts';
import { afterAll, afterEach, beforeAll } from './world.ts';

const NAMESPACE = 'budgets';
const EVICTIONS = 'evictions';
const KIND = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
const of = (...apps: string[]) => ({ selector: { matchExpressions: [{ key: 'app', operator: 'In', values: apps }] } });

interface Counts {
  healthy: number;
  desired: number;
  allowed: number;
  expected: number;
}
const counts = (healthy: number, desired: number, allowed: number, expected: number): Counts => ({ healthy, desired, allowed, expected });

/** Deployments `web` (3 pods) and `slow` (2 that are never ready), ReplicaSet `bare` (1), DaemonSet `agent` (3), pod `lone`, and one pod of StatefulSet `set`, which wants 3. */
const statuses: [name: string, spec: object, status: Counts][] = [
  ['a-number', { ...of('web'), minAvailable: 2 }, counts(3, 2, 1, 3)],
  ['all-of-them', { ...of('web'), minAvailable: 3 }, counts(3, 3, 0, 3)],
  ['more-than-there-are', { ...of('web'), minAvailable: 5 }, counts(3, 5, 0, 3)],
  ['half', { ...of('web'), minAvailable: '50%' }, counts(3, 2, 1, 3)],
  ['all-in-percent', { ...of('web'), minAvailable: '100%' }, counts(3, 3, 0, 3)],
  ['one-down', { ...of('web'), maxUnavailable: 1 }, counts(3, 2, 1, 3)],
  ['none-down', { ...of('web'), maxUnavailable: 0 }, counts(3, 3, 0, 3)],
  ['a-third-down', { ...of('web'), maxUnavailable: '30%' }, counts(3, 2, 1, 3)],
  ['all-down', { ...of('web'), maxUnavailable: 9 }, counts(3, 0, 3, 3)],
  ['no-amount', of('web'), counts(3, 0, 0, 0)],
  ['no-selector', { minAvailable: 1 }, counts(0, 1, 0, 0)],
  ['no-pods', { ...of('orders'), maxUnavailable: 1 }, counts(0, 0, 0, 0)],
  ['unready', { ...of('slow'), minAvailable: 1 }, counts(0, 1, 0, 2)],
  ['two-workloads', { ...of('web', 'slow'), maxUnavailable: 2 }, counts(3, 3, 0, 5)],
  ['two-workloads-by-half', { ...of('web', 'slow'), minAvailable: '50%' }, counts(3, 3, 0, 5)],
  ['a-replica-set', { ...of('bare'), maxUnavailable: '50%' }, counts(1, 0, 1, 1)],
  ['a-pod-by-number', { ...of('lone'), minAvailable: 0 }, counts(1, 0, 1, 1)],
  ['a-pod-without-controller', { ...of('lone'), maxUnavailable: 1 }, counts(1, 0, 0, 0)],
  ['a-stateful-set', { ...of('set'), maxUnavailable: 1 }, counts(1, 2, 0, 3)],
  ['everything', { selector: {}, minAvailable: 4 }, counts(9, 4, 5, 11)],
];

const REFUSED: [name: string, spec: object, field: string, why: string][] = [
  ['both', { minAvailable: 1, maxUnavailable: 1 }, 'spec', 'minAvailable and maxUnavailable cannot be both set'],
  ['negative', { minAvailable: -1 }, 'spec.minAvailable', 'must be greater than or equal to 0'],
  ['no-percent', { maxUnavailable: '1' }, 'spec.maxUnavailable', 'a valid percent string must be a numeric string followed by'],
  ['too-many-percent', { maxUnavailable: '101%' }, 'spec.maxUnavailable', 'must not be greater than 100%'],
  [
    'policy',
    { unhealthyPodEvictionPolicy: 'Never' },
    'spec.unhealthyPodEvictionPolicy',
    'supported values: "AlwaysAllow", "IfHealthyBudget"',
  ],
  [
    'operator',
    { selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
    'spec.selector.matchExpressions[0].operator',
    'not a valid',
  ],
];

/** The same status and the same evictions on the embedded cluster and from kube-controller-manager and kube-apiserver. */
export function disruptionBudgetSuite(where: string, start: () => Promise<{ cluster: KubeCluster; stop(): Promise<void> }>): void {
  describe(`PodDisruptionBudgets on ${where}`, () => {
    let environment: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      environment = await start();
      for (const name of [NAMESPACE, EVICTIONS]) await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await aWorkload('Deployment', 'web', 3);
      await aWorkload('Deployment', 'slow', 2, { NEVER_READY: '1' });
      await aWorkload('ReplicaSet', 'bare', 1);
      await aWorkload('DaemonSet', 'agent');
      await aPod('lone');
      const { metadata } = await aWorkload('StatefulSet', 'set', 3);
      const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'set', uid: metadata.uid, controller: true };
      await aPod('set', NAMESPACE, { ownerReferences: [owner] });
      await aWorkload('Deployment', 'web', 3, {}, EVICTIONS);
      await aWorkload('Deployment', 'slow', 1, { NEVER_READY: '1' }, EVICTIONS);
      await podsOf(['web', 'bare', 'agent', 'lone', 'set'], 9, { namespace: NAMESPACE });
      await podsOf(['slow'], 2, { namespace: NAMESPACE, isReady: false });
    });
    afterAll(() => environment?.stop());
    // With several budgets over one pod, the real controller looks at any one of them when the pod changes.
    afterEach(async () => {
      const { items } = await environment.cluster.list(KIND);
      for (const { metadata } of items)
        await environment.cluster.delete({ ...KIND, name: metadata.name, namespace: metadata.namespace ?? '' });
    });

    /** The service account of a new namespace comes a moment later. */
    const create = (object: object): Promise<KubeObject> =>
      eventually('the object is admitted', () =>
        environment.cluster
          .create(object as KubeObject)
          .catch((error: unknown) => (isForbidden(error) ? undefined : Promise.reject(error))),
      ) as Promise<KubeObject>;
    const podSpec = (env: Record<string, string>) => ({
      containers: [{ name: 'app', image: 'app:1', env: Object.entries(env).map(([name, value]) => ({ name, value })) }],
    });
    const aPod = (app: string, namespace = NAMESPACE, metadata: object = {}, spec: object = {}): Promise<KubeObject> =>
      create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: app, namespace, labels: { app }, ...metadata },
        spec: { ...podSpec({}), ...spec },
      });
    const aWorkload = (kind: string, app: string, replicas?: number, env: Record<string, string> = {}, namespace = NAMESPACE) => {
      const labels = { app };
      const template = { metadata: { labels }, spec: podSpec(env) };
      const sized = { ...(replicas !== undefined && { replicas }), ...(kind === 'StatefulSet' && { serviceName: app }) };
      const spec = { selector: { matchLabels: labels }, template, ...sized };
      return create({ apiVersion: 'apps/v1', kind, metadata: { name: app, namespace }, spec });
    };
    const aBudget = (name: string, spec: object, namespace = NAMESPACE) => create({ ...KIND, metadata: { name, namespace }, spec });
    const refTo = (name: string, namespace = NAMESPACE): ObjectRef => ({ ...KIND, name, namespace });

    /** Status without the times of its conditions. */
    async function statusOf(name: string, namespace = NAMESPACE): Promise<object | undefined> {
      const { conditions = [], ...status } = raw(await environment.cluster.get(refTo(name, namespace)))?.status ?? {};
      return {
        ...status,
        conditions: conditions.map(({ lastTransitionTime, ...condition }: { lastTransitionTime: unknown }) => ({
          ...condition,
          hasTime: typeof lastTransitionTime === 'string',
        })),
      };
    }
    const served = ({ healthy, desired, allowed, expected }: Counts, generation = 1) => ({
      currentHealthy: healthy,
      desiredHealthy: desired,
      disruptionsAllowed: allowed,
      expectedPods: expected,
      observedGeneration: generation,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: allowed > 0 ? 'True' : 'False',
          observedGeneration: generation,
          reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
          message: '',
          hasTime: true,
        },
      ],
    });

    it.each(statuses)('the status of %s', async (name, spec, status) => {
      await aBudget(name, spec);
      await eventuallyHolds(async () => expect(await statusOf(name)).toEqual(served(status)));
    });

    it('the status of pods whose controller has no scale says so, and allows nothing', async () => {
      await aBudget('agents', { ...of('agent'), maxUnavailable: 1 });
      await eventuallyHolds(async () =>
        expect(await statusOf('agents')).toEqual({
          currentHealthy: 0,
          desiredHealthy: 0,
          disruptionsAllowed: 0,
          expectedPods: 0,
          conditions: [
            {
              type: 'DisruptionAllowed',
              status: 'False',
              reason: 'SyncFailed',
              message: 'daemonsets.apps does not implement the scale subresource',
              hasTime: true,
            },
          ],
        }),
      );
    });

    it('the status follows pods and spec', async () => {
      await aWorkload('Deployment', 'moving', 2);
      await aBudget('moving', { ...of('moving'), maxUnavailable: 1 });
      await eventuallyHolds(async () => expect(await statusOf('moving')).toEqual(served(counts(2, 1, 1, 2))));
      const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'moving', namespace: NAMESPACE };
      await environment.cluster.patch(deployment, { spec: { replicas: 3 } });
      await eventuallyHolds(async () => expect(await statusOf('moving')).toEqual(served(counts(3, 2, 1, 3))));
      await environment.cluster.patch(refTo('moving'), { spec: { maxUnavailable: 2 } });
      await eventuallyHolds(async () => expect(await statusOf('moving')).toEqual(served(counts(3, 1, 2, 3), 2)));
      await environment.cluster.patch(deployment, { spec: { replicas: 0 } });
      await eventuallyHolds(async () => expect(await statusOf('moving')).toEqual(served(counts(0, 0, 0, 0), 2)));
    });

    it.each(REFUSED)('%s is refused at its field', async (name, spec, field, why) => {
      const refusal = environment.cluster.create({ ...KIND, metadata: { name, namespace: NAMESPACE }, spec } as KubeObject);
      await expect(refusal).rejects.toThrow(field);
      await expect(refusal).rejects.toThrow(why);
    });

    const evict = async (name: string, { query = '', ...more }: { query?: string; deleteOptions?: object; metadata?: object } = {}) => {
      const path = `/api/v1/namespaces/${EVICTIONS}/pods/${name}/eviction${query}`;
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: EVICTIONS }, ...more };
      const { status, body: text } = await environment.cluster.ask('POST', path, { body });
      return { status, answer: raw(JSON.parse(text)) };
    };
    const SUCCESS = { status: 201, answer: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } };
    const podRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Pod', name, namespace: EVICTIONS });
    /** Names of the pods, once exactly this number runs: the last evicted pod has ended. */
    async function podsOf(apps: readonly string[], wanted: number, { namespace = EVICTIONS, isReady = true } = {}): Promise<string[]> {
      const isSo = (pod: KubeObject): boolean => {
        const { phase, conditions = [] } = raw(pod).status ?? {};
        const ready = conditions.find(({ type }: { type: string }) => type === 'Ready');
        return phase === 'Running' && (ready?.status === 'True') === isReady && pod.metadata.deletionTimestamp === undefined;
      };
      const pods = await eventually(
        `${wanted} pods of ${apps}`,
        async () => {
          const all = { apiVersion: 'v1', kind: 'Pod', namespace };
          return (await environment.cluster.list(all, { labelSelector: `app in (${apps})` })).items;
        },
        (items) => items.length === wanted && items.every(isSo),
      );
      return pods.map(({ metadata }) => metadata.name);
    }
    /** A budget whose status comes to this. */
    async function guard(spec: object, status: Counts): Promise<void> {
      await aBudget('guard', spec, EVICTIONS);
      await eventuallyHolds(async () => expect(await statusOf('guard', EVICTIONS)).toMatchObject(served(status)));
    }

    it('an eviction under no budget deletes the pod, and says why in a condition', async () => {
      const [name = ''] = await podsOf(['web'], 3);
      expect(await evict(name)).toEqual(SUCCESS);
      const pod = await environment.cluster.get(podRef(name));
      expect(pod?.metadata.deletionTimestamp).toBeDefined();
      expect(raw(pod)?.status.conditions).toContainEqual(
        expect.objectContaining({
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        }),
      );
    });

    it('an eviction for which no disruption is left is refused with 429 and the name of the budget', async () => {
      const [name = ''] = await podsOf(['web'], 3);
      await guard({ ...of('web'), minAvailable: 3 }, counts(3, 3, 0, 3));
      expect(await evict(name)).toEqual({
        status: 429,
        answer: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: "Cannot evict pod as it would violate the pod's disruption budget.",
          reason: 'TooManyRequests',
          details: {
            causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget guard needs 3 healthy pods and has 3 currently' }],
          },
          code: 429,
        },
      });
      expect((await environment.cluster.get(podRef(name)))?.metadata.deletionTimestamp).toBeUndefined();
    });

    it('an eviction takes one disruption until its pod is replaced', async () => {
      const [name = '', another = ''] = await podsOf(['web'], 3);
      await guard({ ...of('web'), maxUnavailable: 1 }, counts(3, 2, 1, 3));
      expect(await evict(name, { query: '?dryRun=All' })).toEqual(SUCCESS);
      expect((await environment.cluster.get(podRef(name)))?.metadata.deletionTimestamp).toBeUndefined();
      expect(await evict(name)).toEqual(SUCCESS);
      expect(await evict(another)).toMatchObject({
        status: 429,
        answer: { details: { causes: [{ message: expect.stringContaining('The disruption budget guard ') }] } },
      });
      // The pod is already being deleted: the eviction costs nothing more.
      expect(await evict(name)).toEqual(SUCCESS);
      await podsOf(['web'], 3);
      await eventuallyHolds(async () => expect(await statusOf('guard', EVICTIONS)).toEqual(served(counts(3, 2, 1, 3))));
      expect(await evict(another)).toEqual(SUCCESS);
    });

    it('a pod under two budgets cannot be evicted, even if both would allow it', async () => {
      const [name = ''] = await podsOf(['web'], 3);
      await aBudget('second', { ...of('web'), minAvailable: 0 }, EVICTIONS);
      await guard({ ...of('web'), minAvailable: 0 }, counts(3, 0, 3, 3));
      const { status, answer } = await evict(name);
      expect({ status, answer }).toEqual({
        status: 500,
        answer: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
          code: 500,
        },
      });
    });

    it('an unready pod is evicted only where the application is healthy, or the budget always allows it', async () => {
      const [name = ''] = await podsOf(['slow'], 1, { isReady: false });
      await guard({ ...of('slow'), minAvailable: 1 }, counts(0, 1, 0, 1));
      expect(await evict(name)).toMatchObject({
        status: 429,
        answer: { details: { causes: [{ message: 'The disruption budget guard needs 1 healthy pods and has 0 currently' }] } },
      });
      await environment.cluster.delete(refTo('guard', EVICTIONS));
      await podsOf(['web'], 3);
      await guard({ ...of('slow', 'web'), minAvailable: 3 }, counts(3, 3, 0, 4));
      expect(await evict(name)).toEqual(SUCCESS);
      await environment.cluster.delete(refTo('guard', EVICTIONS));
      const [next = ''] = await podsOf(['slow'], 1, { isReady: false });
      await guard({ ...of('slow'), minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, counts(0, 1, 0, 1));
      expect(await evict(next)).toEqual(SUCCESS);
    });

    it('a pending pod is evicted, even if the budget allows no disruption', async () => {
      await aPod('waiting', EVICTIONS, {}, { schedulingGates: [{ name: 'example.com/later' }] });
      await guard({ ...of('waiting'), minAvailable: '100%' }, counts(0, 0, 0, 0));
      expect(await evict('waiting')).toEqual(SUCCESS);
      expect(await environment.cluster.get(podRef('waiting'))).toBeUndefined();
    });

    it('an eviction of another name, or under a precondition that does not hold, is refused', async () => {
      const [name = ''] = await podsOf(['web'], 3);
      expect(await evict(name, { metadata: {} })).toMatchObject({
        status: 400,
        answer: { message: 'name in URL does not match name in Eviction object' },
      });
      expect(await evict(name, { deleteOptions: { preconditions: { uid: 'another' } } })).toMatchObject({ status: 409 });
      expect(await evict('nothing')).toMatchObject({ status: 404 });
      expect((await environment.cluster.get(podRef(name)))?.metadata.deletionTimestamp).toBeUndefined();
    });
  });
}
