import { knativeApiVersion } from '../../../src/api/knative.ts';
import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { isNotFound } from '../../../src/kube/errors.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { raw } from '../../fakes/raw.ts';
import { aDeployment, canaryRef, push } from '../troubles/objects.ts';
import { hookOf, underWay } from './hooks.ts';
import {
  APP,
  aGoodContainer,
  aGoodTemplate,
  begun,
  begunWith,
  deployment,
  type Expected,
  initialized,
  released,
  SINCE,
  type Stall,
  type StallFixture,
  UNREADY,
} from './stall.ts';

/** For a new Canary: its owner's correction reaches a primary that was never ready after this time. */
const SOON_LATE = { progressDeadlineSeconds: 5 };

/** A new Canary whose pods do not come, as their kubelet words it. */
function unborn(namespace: string, env: Record<string, string>, why: Expected): Stall {
  return {
    namespace,
    cause: /Deployment web-primary: 0 of 1 needed pods are available/,
    remedy: new RegExp(`${SINCE}.*Fix its pods; it is .*expected by \\d{4}`),
    why,
    run: ({ cluster }) => begun(cluster, namespace, { env, spec: SOON_LATE }),
  };
}

/** A version whose container is never started. */
function unstarted(namespace: string, container: object, cause: 'ImageUnavailable' | 'ContainerConfig', good: unknown): Stall {
  return {
    namespace,
    cause: new RegExp(UNREADY),
    remedy: new RegExp(`${SINCE}.*fix web`),
    why: { cause, proof: /^Pod \S+: status\.containerStatuses\[web\]\.state\.waiting$/, clear: { set: good } },
    run: (fixture) => releasedAs(fixture, namespace, container),
  };
}

async function releasedAs(fixture: StallFixture, namespace: string, container: object): Promise<void> {
  await initialized(fixture, namespace);
  const containers = [{ ...aGoodContainer, ...container }];
  await fixture.cluster.patch(deployment(namespace), { spec: { template: { spec: { containers } } } });
}

const account = (namespace: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', name: 'builder', namespace });

/** Makes the service account without which every pod that names it is refused. */
async function admitPods(cluster: KubeCluster, namespace: string): Promise<void> {
  const { apiVersion, kind, name } = account(namespace);
  await cluster.create({ apiVersion, kind, metadata: { name, namespace } });
}

const GATE = 'example.com/target-health';

/** Opens gates like the controller of a load balancer once it has taken the pods in, now and from now on. */
function openGates({ cluster, atEnd }: StallFixture, namespace: string): void {
  const open = async (pod: KubeObject): Promise<void> => {
    const conditions: { type: string; status: string }[] = raw(pod).status?.conditions ?? [];
    if (raw(pod).spec.readinessGates === undefined || conditions.some(({ type }) => type === GATE)) return;
    const patch = { status: { conditions: [...conditions, { type: GATE, status: 'True' }] } };
    await cluster.patch(refOf(pod), patch, { subresource: 'status' }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  };
  const watch = cluster.watch(
    { apiVersion: 'v1', kind: 'Pod', namespace },
    {
      onList: (pods) => void Promise.all(pods.map(open)),
      onEvent: ({ type, object }) => void (type === 'DELETED' ? undefined : open(object)),
    },
  );
  atEnd(async () => watch.stop());
}

const CORRECTED = { set: aGoodContainer };

export const podStalls: readonly Stall[] = [
  unborn(
    'primary-never-ready',
    { NEVER_READY: '1' },
    { cause: 'ProbeFails', proof: /^Pod \S+: status\.containerStatuses\[web\]\.ready$/, clear: CORRECTED },
  ),
  {
    namespace: 'target-never-ready',
    cause: new RegExp(`canary to be ready: ${UNREADY}`),
    remedy: new RegExp(`${SINCE}.*rolled back at \\d{4}.*fix web`),
    why: { cause: 'ProbeFails', proof: /^Pod \S+: status\.containerStatuses\[web\]\.ready$/, clear: CORRECTED },
    run: (fixture) => released(fixture, 'target-never-ready', { env: { NEVER_READY: '1' } }),
  },
  {
    namespace: 'crashing',
    cause: new RegExp(UNREADY),
    remedy: new RegExp(`${SINCE}.*fix web`),
    why: { cause: 'CrashLoop', proof: /^Pod \S+: status\.containerStatuses\[web\]\.state\.waiting$/, clear: CORRECTED },
    run: (fixture) => released(fixture, 'crashing', { env: { CRASH: '1' } }),
  },
  {
    namespace: 'late',
    cause: new RegExp(`Failed \\(the canary was not ready within 2 s: ${UNREADY}`),
    remedy: /container web of pod web-\S+ runs and is not ready.*correct its readinessProbe/,
    why: { cause: 'Failed', proof: /^Canary web: status\.release\.ending\.code$/, clear: { set: aGoodTemplate } },
    // The verdict keeps the reason of its moment, so that the pods have to be seen before the deadline comes.
    async run(fixture) {
      await released(fixture, 'late', { env: { NEVER_READY: '1' } });
      const isSeen = ({ message }: { message: string }) => new RegExp(UNREADY).test(message);
      await fixture.reports.until('late', APP, 'its pods', ({ conditions }) => conditions.some(isSeen));
      await fixture.cluster.patch(canaryRef('late', APP), { spec: { progressDeadlineSeconds: 2 } });
    },
  },
  unstarted('image-missing', { image: 'registry.invalid/web:2' }, 'ImageUnavailable', 'web:3'),
  unstarted('image-misspelt', { image: 'Web:2' }, 'ImageUnavailable', 'web:3'),
  unstarted('container-config', { env: [{ name: 'WAITS_FOR', value: 'CreateContainerConfigError' }] }, 'ContainerConfig', aGoodContainer),
  {
    namespace: 'out-of-memory',
    cause: new RegExp(UNREADY),
    remedy: new RegExp(`${SINCE}.*fix web`),
    why: {
      cause: 'OutOfMemory',
      proof: /^Pod \S+: status\.containerStatuses\[web\]\.lastState\.terminated\.reason$/,
      clear: { set: '1Gi' },
    },
    run: (fixture) =>
      releasedAs(fixture, 'out-of-memory', {
        env: [{ name: 'MEMORY', value: '512Mi' }],
        resources: { limits: { memory: '64Mi' } },
      }),
  },
  {
    namespace: 'unschedulable',
    cause: /Deployment web-primary: 0 of 1 needed pods are available/,
    remedy: new RegExp(`${SINCE}.*Fix its pods`),
    why: {
      cause: 'Unschedulable',
      proof: /^Pod \S+: status\.conditions\[PodScheduled\]\.message$/,
      clear: { set: aGoodTemplate.spec },
    },
    async run({ cluster }) {
      const target = aDeployment('unschedulable', APP);
      raw(target).spec.template.spec.nodeSelector = { disk: 'none' };
      await begunWith(cluster, 'unschedulable', target, { spec: SOON_LATE });
    },
  },
  {
    namespace: 'pods-refused',
    cause: /Deployment web: its pods are refused: .*serviceaccount "builder" not found/,
    remedy: new RegExp(`${SINCE}.*fix web`),
    why: {
      cause: 'PodsRefused',
      proof: /^Deployment web: status\.conditions\[ReplicaFailure\]\.message$/,
      clear: { others: ({ cluster }) => admitPods(cluster, 'pods-refused') },
    },
    async run(fixture) {
      await initialized(fixture, 'pods-refused');
      const spec = { serviceAccountName: 'builder', containers: [aGoodContainer] };
      await fixture.cluster.patch(deployment('pods-refused'), { spec: { template: { spec } } });
    },
  },
  {
    namespace: 'primary-not-put-back',
    cause: /Deployment web-primary: its pods are refused: .*serviceaccount "builder" not found/,
    remedy: /until the primary is ready; an edit of web waits for that/,
    why: {
      cause: 'Restoring',
      proof: /^Deployment web-primary: status\.conditions\[ReplicaFailure\]\.message$/,
      clear: { others: ({ cluster }) => admitPods(cluster, 'primary-not-put-back') },
    },
    // Neither version of the primary gets its pod, and its strategy has taken the old one away.
    async run(fixture) {
      const { cluster, reports, hooks } = fixture;
      const namespace = 'primary-not-put-back';
      const target = aDeployment(namespace, APP);
      raw(target).spec.strategy = { type: 'Recreate' };
      raw(target).spec.template.spec.serviceAccountName = 'builder';
      await begunWith(cluster, namespace, target, underWay(fixture, namespace));
      await admitPods(cluster, namespace);
      await reports.until(namespace, APP, 'Initialized', ({ phase }) => phase === 'Initialized');
      await push(cluster, namespace, APP, '2');
      await reports.until(namespace, APP, 'the gate', ({ phase }) => phase === 'WaitingPromotion');
      await cluster.delete(account(namespace));
      await cluster.patch(canaryRef(namespace, APP), { spec: SOON_LATE });
      hooks.answers(hookOf(namespace), 200);
    },
  },
  {
    namespace: 'readiness-gate',
    cause: new RegExp(UNREADY),
    remedy: new RegExp(`${SINCE}.*fix web`),
    why: {
      cause: 'PodGated',
      proof: /^Pod web-\S+: status\.conditions\[Ready\]\.message$/,
      clear: { others: (fixture) => openGates(fixture, 'readiness-gate') },
    },
    async run(fixture) {
      await initialized(fixture, 'readiness-gate');
      const spec = { readinessGates: [{ conditionType: GATE }], containers: [aGoodContainer] };
      await fixture.cluster.patch(deployment('readiness-gate'), { spec: { template: { spec } } });
    },
  },
  {
    namespace: 'ready-and-too-early',
    cause: new RegExp(UNREADY),
    remedy: new RegExp(`${SINCE}.*fix web`),
    why: { cause: 'NotYetAvailable', proof: /^Deployment web: spec\.minReadySeconds$/, clear: { set: 0 } },
    async run(fixture) {
      await begun(fixture.cluster, 'ready-and-too-early', { spec: { progressDeadlineSeconds: 300 } });
      await fixture.reports.until('ready-and-too-early', APP, 'Initialized', ({ phase }) => phase === 'Initialized');
      const spec = { minReadySeconds: 400, template: { spec: { containers: [aGoodContainer] } } };
      await fixture.cluster.patch(deployment('ready-and-too-early'), { spec });
    },
  },
  {
    namespace: 'no-node-fits',
    cause: /DaemonSet web-primary: no node takes its pods/,
    remedy: new RegExp(`${SINCE}.*Fix its pods`),
    why: {
      cause: 'Unschedulable',
      proof: /^DaemonSet web-primary: status\.desiredNumberScheduled$/,
      clear: { set: aGoodTemplate.spec },
    },
    async run({ cluster }) {
      const { kind: _, spec, ...target } = raw(aDeployment('no-node-fits', APP));
      const { replicas: __, ...rest } = spec;
      rest.template.spec.nodeSelector = { disk: 'none' };
      await begunWith(
        cluster,
        'no-node-fits',
        { ...target, kind: 'DaemonSet', spec: rest },
        {
          analysis: { stepWeight: undefined, maxWeight: undefined, iterations: 1 },
          spec: { ...SOON_LATE, provider: 'kubernetes', targetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: APP } },
        },
      );
    },
  },
  {
    namespace: 'knative-image-missing',
    cause: /canary to be ready: Revision web-\d+: /,
    remedy: new RegExp(`${SINCE}.*fix web`),
    why: {
      cause: 'ImageUnavailable',
      proof: /^Pod web-\S+: status\.containerStatuses\[web\]\.state\.waiting$/,
      clear: { set: 'web:3' },
      apiVersion: knativeApiVersion,
    },
    async run({ cluster, reports }) {
      const namespace = 'knative-image-missing';
      const service = { apiVersion: knativeApiVersion, kind: 'Service', metadata: { name: APP, namespace } };
      const container = { name: 'web', image: 'web:1', ports: [{ containerPort: 9898 }] };
      await begunWith(
        cluster,
        namespace,
        { ...service, spec: { template: { spec: { containers: [container] } } } },
        {
          spec: { provider: 'knative', targetRef: { apiVersion: knativeApiVersion, kind: 'Service', name: APP } },
        },
      );
      await reports.until(namespace, APP, 'Initialized', ({ phase }) => phase === 'Initialized');
      const containers = [{ ...container, image: 'registry.invalid/web:2' }];
      await cluster.patch(
        { apiVersion: knativeApiVersion, kind: 'Service', name: APP, namespace },
        { spec: { template: { spec: { containers } } } },
      );
    },
  },
  {
    namespace: 'rollout-stalled',
    cause: /exceeded its progressDeadlineSeconds; only an edit helps/,
    remedy: new RegExp(`${SINCE}.*[fF]ix (web|its pods)`),
    why: {
      cause: 'RolloutStalled',
      proof: /^Deployment web(-primary)?: status\.conditions\[Progressing\]\.reason$/,
      clear: { set: aGoodTemplate },
    },
    async run({ cluster }) {
      const target = aDeployment('rollout-stalled', APP, { WAITS_FOR: 'ContainerCreating' });
      raw(target).spec.progressDeadlineSeconds = 1;
      await begunWith(cluster, 'rollout-stalled', target, { spec: SOON_LATE });
    },
  },
];
