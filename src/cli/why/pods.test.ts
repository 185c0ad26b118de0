import { describeEach, pushed, type Stall, type StalledRelease } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized, World } from '../../../test/fakes/world.ts';
import type { Cause } from '../../api/codes/codes.ts';

const TEMPLATE = 'set Deployment podinfo spec.template';
const IMAGE = `${TEMPLATE}.spec.containers[web].image`;

/** A canary whose pods do not come, with the status of one of them. */
function unready(pod: object, container?: object): StalledRelease {
  const world = initialized(aCanary({ stepWeight: 20 }));
  world.behaviour.brokenCanary.add('s1:b');
  world.push('s1:b');
  const status = { phase: 'Pending', ...pod, ...(container ? { containerStatuses: [{ name: 'web', ready: false, ...container }] } : {}) };
  return { world, targetPods: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'podinfo-1', namespace: 'test' }, status }] };
}

/** The pods come, as they do once what was wrong with them is right. */
function comes(stalled: StalledRelease): void {
  stalled.world.behaviour.brokenCanary.clear();
  stalled.world.behaviour.brokenPrimary.clear();
  stalled.targetPods = [];
  stalled.primaryPods = [];
  delete stalled.target;
  stalled.world.tick(0);
  stalled.world.tick();
}

const POD = (reason: string) => unready({}, { state: { waiting: { reason, message: 'no' } } });
const waitingPod = (title: string, reason: string, cause: Cause, action: RegExp, way = `${TEMPLATE}.spec.containers[web]`): Stall => ({
  title,
  arrange: () => POD(reason),
  cause,
  proof: ['Pod', 'status.containerStatuses[web].state.waiting'],
  action,
  way,
  mend: comes,
});

const stalls: readonly Stall[] = [
  waitingPod('an image that is not there', 'ImagePullBackOff', 'ImageUnavailable', /correct the image/, IMAGE),
  waitingPod('an image that was not had once', 'ErrImagePull', 'ImageUnavailable', /correct the image/, IMAGE),
  waitingPod('an image with a bad name', 'InvalidImageName', 'ImageUnavailable', /correct the image/, IMAGE),
  waitingPod('a container that ends again and again', 'CrashLoopBackOff', 'CrashLoop', /push a version that starts/),
  waitingPod('a container that reads what is missing', 'CreateContainerConfigError', 'ContainerConfig', /create what the container reads/),
  {
    title: 'a container that takes too much memory',
    arrange: () => unready({}, { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { reason: 'OOMKilled' } } }),
    cause: 'OutOfMemory',
    proof: ['Pod', 'status.containerStatuses[web].lastState.terminated.reason'],
    action: /raise the memory limit/,
    way: 'set Deployment podinfo spec.template.spec.containers[web].resources.limits.memory',
    mend: comes,
  },
  {
    title: 'a readiness probe that fails',
    arrange: () => unready({ phase: 'Running' }, { state: { running: {} } }),
    cause: 'ProbeFails',
    proof: ['Pod', 'status.containerStatuses[web].ready'],
    action: /becomes ready/,
    way: 'set Deployment podinfo spec.template.spec.containers[web]',
    mend: comes,
  },
  {
    title: 'an init container that fails',
    arrange: () => unready({ initContainerStatuses: [{ name: 'migrate', state: { waiting: { reason: 'CrashLoopBackOff' } } }] }),
    cause: 'CrashLoop',
    proof: ['Pod', 'status.initContainerStatuses[migrate].state.waiting'],
    action: /push a version that starts/,
    way: 'set Deployment podinfo spec.template.spec.initContainers[migrate]',
    mend: comes,
  },
  {
    title: 'no node with free resources',
    arrange: () => unready({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] }),
    cause: 'Unschedulable',
    proof: ['Pod', 'status.conditions[PodScheduled].message'],
    action: /ask the administrator of the cluster for more capacity/,
    way: 'set Deployment podinfo spec.template.spec',
    mend: comes,
  },
  ...[
    {
      of: 'scheduling',
      stalled: () => {
        const stalled = unready({});
        for (const pod of stalled.targetPods ?? []) pod.spec = { schedulingGates: [{ name: 'example.com/queue' }] };
        return stalled;
      },
      field: 'spec.schedulingGates',
    },
    {
      of: 'readiness',
      stalled: () =>
        unready(
          { conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: 'example.com/target-health' }] },
          { ready: true, state: { running: {} } },
        ),
      field: 'status.conditions[Ready].message',
    },
  ].map(
    ({ of, stalled, field }): Stall => ({
      title: `a ${of} gate of a pod`,
      arrange: stalled,
      cause: 'PodGated',
      proof: ['Pod', field],
      action: /ask the owner of this gate/,
      mend: comes,
    }),
  ),
  {
    title: 'a node that no longer reports',
    arrange() {
      const conditions = [{ type: 'Ready', status: 'False' }];
      const stalled = unready({ phase: 'Running', conditions }, { ready: true, state: { running: {} } });
      for (const pod of stalled.targetPods ?? []) pod.spec = { nodeName: 'node-2' };
      return stalled;
    },
    cause: 'NodeNotReady',
    proof: ['Pod', 'spec.nodeName'],
    action: /repair the node/,
    mend: comes,
  },
  {
    title: 'a paused rollout',
    arrange: () => ({ ...unready({}), target: { spec: { replicas: 1, paused: true } } }),
    cause: 'RolloutPaused',
    proof: ['Deployment', 'spec.paused'],
    action: /set spec\.paused of Deployment .* to false/,
    way: 'run kubectl rollout resume deployment/podinfo -n test',
    mend: comes,
  },
  ...[
    { minReadySeconds: 3000, action: /shorter than progressDeadlineSeconds/, way: 'set Deployment podinfo spec.minReadySeconds' },
    { minReadySeconds: 30, action: /wait for it/, way: undefined },
  ].map(
    ({ minReadySeconds, action, way }): Stall => ({
      title: `pods that are ready, and count after ${minReadySeconds} s`,
      arrange: () => ({
        ...unready({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }),
        target: { spec: { replicas: 1, minReadySeconds } },
      }),
      cause: 'NotYetAvailable',
      proof: ['Deployment', 'spec.minReadySeconds'],
      action,
      ...(way === undefined ? {} : { way }),
      mend: comes,
    }),
  ),
  {
    title: 'a quota',
    arrange: () => ({
      ...unready({}),
      target: { status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' }] } },
    }),
    cause: 'PodsRefused',
    proof: ['Deployment', 'status.conditions[ReplicaFailure].message'],
    action: /raise the quota/,
    mend: comes,
  },
  {
    title: 'a rollout past its own deadline',
    arrange: () => ({
      ...unready({}),
      target: { status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] } },
    }),
    cause: 'RolloutStalled',
    proof: ['Deployment', 'status.conditions[Progressing].reason'],
    action: /only an edit starts the rollout of podinfo again/,
    way: 'set Deployment podinfo spec.template',
    mend: comes,
  },
  {
    title: 'no pod that says why',
    arrange: () => ({ ...unready({}), targetPods: [] }),
    cause: 'PodsNotReady',
    proof: ['Deployment', 'status.availableReplicas'],
    action: /^find out why a pod is not ready/,
    mend: comes,
  },
  {
    title: 'a rollout that the controller has found stalled',
    arrange() {
      const world = new World(aCanary({ stepWeight: 20 }));
      world.behaviour.brokenPrimary.add('s1:a');
      world.behaviour.stalls = true;
      return { world: world.begin() };
    },
    cause: 'RolloutStalled',
    proof: ['Canary', 'status.release.blockers[RolloutStalled].object'],
    action: /^push a version whose pods become ready: only an edit starts the rollout of podinfo-primary again$/,
    way: TEMPLATE,
    mend: comes,
  },
  ...[
    { how: 'crash', reason: 'Error', cause: 'CrashLoop' as const, action: /^read the logs of the container/ },
    { how: 'run out of memory', reason: 'OOMKilled', cause: 'OutOfMemory' as const, action: /^raise the memory limit/ },
  ].map(
    ({ how, reason, cause, action }): Stall => ({
      title: `pods that may not be read and that ${how}, as the controller has seen`,
      arrange() {
        const world = pushed(initialized(aCanary({ stepWeight: 20 })));
        world.watchPods();
        world.sendFacts();
        world.crashPods();
        if (world.failing?.last) Object.assign(world.failing.last, { reason });
        world.tickUntil(({ release }) => release.failing?.last !== undefined);
        return { world };
      },
      cause,
      proof: ['Canary', 'status.release.failing.last'],
      action,
      way: TEMPLATE,
      mend: ({ world }) => world.recoverPods(),
    }),
  ),
  {
    title: 'a target that was deleted during its release',
    arrange: () => ({ ...unready({}), target: undefined }),
    cause: 'TargetNotFound',
    proof: ['Deployment', 'metadata'],
    action: /create Deployment podinfo, or correct spec\.targetRef/,
    way: 'create Deployment podinfo',
    mend: comes,
  },
  {
    title: 'a target that was scaled to zero under traffic',
    arrange() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })), ({ canary }) => canary.status?.canaryWeight === 20);
      world.targetDown = true;
      world.sendFacts();
      world.settle();
      return { world, target: { spec: { replicas: 0 } } };
    },
    cause: 'ScaledToZero',
    proof: ['Deployment', 'spec.replicas'],
    action: /scale Deployment podinfo up/,
    way: 'run kubectl scale deployment/podinfo -n test --replicas=1',
    mend(stalled) {
      stalled.world.targetDown = false;
      delete stalled.target;
      stalled.world.tick();
    },
  },
  {
    title: 'a primary that cannot take what was promoted',
    arrange() {
      const world = initialized(aCanary({ stepWeight: 50 }));
      world.behaviour.brokenPrimary.add('s1:b');
      pushed(world, ({ step }) => step === 'awaitingPrimary');
      const status = { phase: 'Pending', containerStatuses: [{ name: 'web', state: { waiting: { reason: 'ImagePullBackOff' } } }] };
      return { world, primaryPods: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'test' }, status }] };
    },
    cause: 'ImageUnavailable',
    proof: ['Pod', 'status.containerStatuses[web].state.waiting'],
    action: /correct the image/,
    way: 'set Deployment podinfo spec.template.spec.containers[web].image',
    mend: comes,
  },
  {
    title: 'a primary whose pods are gone while no release is in progress',
    arrange() {
      const world = initialized();
      world.primaryDown = true;
      return { world };
    },
    cause: 'PrimaryUnavailable',
    proof: ['Deployment', 'status.availableReplicas'],
    action: /^correct what keeps the pods of the primary from serving$/,
    mend({ world }) {
      world.primaryDown = false;
    },
  },
  ...(['settling', 'analysing'] as const).map(
    (step): Stall => ({
      title: `a primary whose pods are gone while a release is ${step}`,
      arrange() {
        const world = initialized(aCanary({ stepWeight: 20 }));
        pushed(world, (one) => one.step === step);
        world.primaryDown = true;
        world.sendFacts();
        world.tick();
        return { world };
      },
      cause: 'PrimaryUnavailable',
      proof: ['Deployment', 'status.availableReplicas'],
      action: /^correct what keeps the pods of the primary from serving$/,
      mend({ world }) {
        world.primaryDown = false;
        world.sendFacts();
      },
    }),
  ),
];

describeEach('a release whose pods do not come', stalls);
