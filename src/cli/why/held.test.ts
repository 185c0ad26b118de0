import { describe, expect, it } from 'vitest';
import { aCanary, initialized, World, withHooks } from '../../../test/build/world.ts';
import type { Verdict } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import {
  ConfigCopyError,
  NameTakenError,
  NoPromotedTemplateError,
  ProviderUnavailableError,
  ScalerMissingError,
  TargetUnusableError,
  TemplateLeftoverError,
} from '../../controller/errors.ts';
import { obstacleOf } from '../../controller/obstacle.ts';
import { projectStatus } from '../../engine/project-status.ts';
import { ApiError } from '../../kube/errors.ts';
import { RoutingError } from '../../routers/index.ts';
import { type Sight, sightOf } from '../people/sight.ts';
import type { Cause } from './causes.ts';
import { whyOf } from './diagnose.ts';

/** A world that stands still, and what of its objects a person sees. */
interface Scene {
  world: World;
  /** Over the target and the primary as the world has them; undefined: the object is not there. */
  target?: object | undefined;
  primary?: object | undefined;
  targetPods?: KubeObject[];
  primaryPods?: KubeObject[];
}

interface Stall {
  title: string;
  play(): Scene;
  cause: Cause;
  /** Kind and field that prove it. */
  proof: [string, string | RegExp];
  action: RegExp;
  /** Does what the action says, and no more. */
  mend(scene: Scene): void;
}

const workload = (name: string, replicas: number, ready: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'test', generation: 1 },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: { spec: { containers: [] } } },
  status: { observedGeneration: 1, replicas, updatedReplicas: replicas, availableReplicas: ready, readyReplicas: ready },
});

/** As the cluster would show it now; the sentence is the one that the controller would store. */
function sightIn({ world, targetPods = [], primaryPods = [], ...scene }: Scene): Sight {
  const facts = world.facts();
  const { release, phase = '' } = world.canary.status ?? {};
  const status = release ? projectStatus(world.canary, phase, release, facts) : undefined;
  const conditions = [
    ...(status?.conditions ?? []).slice(0, 1),
    ...(facts.refused ? [{ type: 'Accepted', status: 'False', ...facts.refused }] : []),
  ];
  const raw: KubeObject = JSON.parse(JSON.stringify({ ...world.canary, status: status && { ...status, conditions } }));
  const { target, primary } = facts;
  const shown = (side: typeof target | typeof primary, name: string, over: object | undefined, isGone: boolean) =>
    side === undefined || isGone
      ? {}
      : { [name === 'podinfo' ? 'target' : 'primary']: { ...workload(name, side.replicas, side.readiness.ready), ...over } };
  return {
    ...sightOf(raw),
    ...shown(target, 'podinfo', scene.target, 'target' in scene && scene.target === undefined),
    ...shown(primary, 'podinfo-primary', scene.primary, 'primary' in scene && scene.primary === undefined),
    targetPods,
    primaryPods,
  };
}

const verdict = (one: Partial<Verdict>): Verdict => ({ check: 'errors', verdict: 'failed', ...one });
const hooked = (...types: Parameters<typeof withHooks>) => initialized(aCanary({ stepWeight: 20, threshold: 50, ...withHooks(...types) }));

function pushed(world: World, isSo: (world: World) => boolean = ({ step }) => step === 'analysing'): World {
  world.push('s1:b');
  world.tickUntil(isSo);
  return world;
}

/** A canary whose pods do not come, with what one of them says. */
function unready(pod: object, container?: object): Scene {
  const world = initialized(aCanary({ stepWeight: 20 }));
  world.behaviour.brokenCanary.add('s1:b');
  world.push('s1:b');
  const status = { phase: 'Pending', ...pod, ...(container ? { containerStatuses: [{ name: 'web', ready: false, ...container }] } : {}) };
  return { world, targetPods: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'podinfo-1', namespace: 'test' }, status }] };
}

/** The pods come, as they do once what was wrong with them is right. */
function comes(scene: Scene): void {
  scene.world.behaviour.brokenCanary.clear();
  scene.world.behaviour.brokenPrimary.clear();
  scene.targetPods = [];
  scene.primaryPods = [];
  delete scene.target;
  scene.world.tick(0);
  scene.world.tick();
}

const POD = (reason: string) => unready({}, { state: { waiting: { reason, message: 'no' } } });
const waitingPod = (title: string, reason: string, cause: Cause, action: RegExp): Stall => ({
  title,
  play: () => POD(reason),
  cause,
  proof: ['Pod', 'status.containerStatuses[web].state.waiting'],
  action,
  mend: comes,
});

/** Something is in the way of the objects, as the errors of the controller word it. */
function blocked(title: string, error: unknown, cause: Cause, proof: Stall['proof'], action: RegExp): Stall {
  return {
    title,
    play() {
      const world = initialized(aCanary({ stepWeight: 20 }));
      world.behaviour.obstacle = obstacleOf(error) ?? 'unknown';
      world.look();
      return { world };
    },
    cause,
    proof,
    action,
    mend({ world }) {
      delete world.behaviour.obstacle;
      world.settle();
    },
  };
}

const text = (message: string) => new TargetUnusableError(message);
const api = (status: number, message: string) => new ApiError(message, { status, reason: 'Forbidden' });

/** A gate of one type, held at its moment. */
function gate(
  type: 'confirm-rollout' | 'pre-rollout' | 'confirm-traffic-increase' | 'confirm-promotion' | 'rollout',
  cause: Cause,
  action: RegExp,
): Stall {
  return {
    title: `the ${type} hook says no`,
    play() {
      const world = hooked(type);
      world.behaviour.hooks[type] = 'refused';
      world.push('s1:b');
      world.tickUntil(({ canary }) => canary.status?.release?.reason?.startsWith(`${type}: `) === true);
      return { world };
    },
    cause,
    proof: ['Canary', 'status.release.reason'],
    action,
    mend({ world }) {
      world.behaviour.hooks[type] = 'passed';
      world.tickUntil(({ canary }) => canary.status?.release?.reason === undefined);
    },
  };
}

/** A check of the canary that does not pass. */
function checked(title: string, one: Verdict, analysis: object, cause: Cause, action: RegExp): Stall {
  return {
    title,
    play() {
      const world = initialized(
        aCanary({ stepWeight: 20, threshold: 50, metrics: [{ name: 'errors', thresholdRange: { max: 1 } }], ...analysis }),
      );
      world.behaviour.verdicts = [one];
      pushed(world, ({ release }) => (release.verdicts ?? []).length > 0 && release.reason !== undefined);
      return { world };
    },
    cause,
    proof: ['Canary', /^status\.release\.verdicts\[0\]/],
    action,
    mend({ world }) {
      world.behaviour.verdicts = [verdict({ verdict: 'passed', value: 0 })];
      world.tickUntil(({ canary }) => canary.status?.release?.verdicts?.[0]?.verdict === 'passed');
    },
  };
}

const stalls: readonly Stall[] = [
  gate('confirm-rollout', 'GateClosed', /who runs the gate confirm-rollout can open it/),
  gate('pre-rollout', 'HookRefused', /who runs pre-rollout can let it pass/),
  gate('confirm-traffic-increase', 'GateClosed', /can open it/),
  gate('confirm-promotion', 'GateClosed', /can open it/),
  gate('rollout', 'HookRefused', /can let it pass/),
  checked(
    'a value out of its range',
    verdict({ value: 3, limit: 'at most 1', reason: 'errors is 3' }),
    {},
    'CheckFailed',
    /push a version that passes errors/,
  ),
  checked(
    'a backend that does not answer',
    verdict({ verdict: 'unmeasured', reason: 'connection refused' }),
    {},
    'Unmeasured',
    /who runs the metrics/,
  ),
  checked(
    'a backend that does not answer, held',
    verdict({ verdict: 'unmeasured', reason: '502 of the backend' }),
    { unmeasured: 'hold' },
    'Unmeasured',
    /who runs the metrics/,
  ),
  checked(
    'a query that finds nothing',
    verdict({ verdict: 'unmeasured', reason: 'the query found no series' }),
    {},
    'NoTraffic',
    /send requests/,
  ),
  checked(
    'too few requests',
    verdict({ verdict: 'unmeasured', reason: '3 requests are too few' }),
    { unmeasured: 'hold' },
    'NoTraffic',
    /send requests/,
  ),
  checked(
    'a MetricTemplate that is missing',
    verdict({ verdict: 'unmeasured', reason: 'MetricTemplate test/errors not found: create it' }),
    {},
    'TemplateMissing',
    /create the MetricTemplate/,
  ),
  waitingPod('an image that is not there', 'ImagePullBackOff', 'ImageUnavailable', /correct the image/),
  waitingPod('an image that was not had once', 'ErrImagePull', 'ImageUnavailable', /correct the image/),
  waitingPod('an image with a bad name', 'InvalidImageName', 'ImageUnavailable', /correct the image/),
  waitingPod('a container that ends again and again', 'CrashLoopBackOff', 'CrashLoop', /push a version that starts/),
  waitingPod('a container that reads what is missing', 'CreateContainerConfigError', 'ContainerConfig', /create what the container reads/),
  {
    title: 'a container that takes too much memory',
    play: () => unready({}, { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { reason: 'OOMKilled' } } }),
    cause: 'OutOfMemory',
    proof: ['Pod', 'status.containerStatuses[web].lastState.terminated.reason'],
    action: /raise the memory limit/,
    mend: comes,
  },
  {
    title: 'a readiness probe that fails',
    play: () => unready({ phase: 'Running' }, { state: { running: {} } }),
    cause: 'ProbeFails',
    proof: ['Pod', 'status.containerStatuses[web].ready'],
    action: /becomes ready/,
    mend: comes,
  },
  {
    title: 'an init container that fails',
    play: () => unready({ initContainerStatuses: [{ name: 'migrate', state: { waiting: { reason: 'CrashLoopBackOff' } } }] }),
    cause: 'CrashLoop',
    proof: ['Pod', 'status.initContainerStatuses[migrate].state.waiting'],
    action: /push a version that starts/,
    mend: comes,
  },
  {
    title: 'no node with room',
    play: () => unready({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] }),
    cause: 'Unschedulable',
    proof: ['Pod', 'status.conditions[PodScheduled].message'],
    action: /make room/,
    mend: comes,
  },
  {
    title: 'a paused rollout',
    play: () => ({ ...unready({}), target: { spec: { replicas: 1, paused: true } } }),
    cause: 'RolloutPaused',
    proof: ['Deployment', 'spec.paused'],
    action: /set spec\.paused of it to false/,
    mend: comes,
  },
  {
    title: 'a quota',
    play: () => ({
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
    play: () => ({
      ...unready({}),
      target: { status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] } },
    }),
    cause: 'RolloutStalled',
    proof: ['Deployment', 'status.conditions[Progressing].reason'],
    action: /only an edit of it/,
    mend: comes,
  },
  {
    title: 'a target that was deleted during its release',
    play: () => ({ ...unready({}), target: undefined }),
    cause: 'TargetMissing',
    proof: ['Deployment', 'metadata'],
    action: /create Deployment podinfo, or correct spec\.targetRef/,
    mend: comes,
  },
  {
    title: 'a target that was scaled to zero under traffic',
    play() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })), ({ canary }) => canary.status?.canaryWeight === 20);
      world.targetDown = true;
      world.look();
      world.settle();
      return { world, target: { spec: { replicas: 0 } } };
    },
    cause: 'ScaledToZero',
    proof: ['Deployment', 'spec.replicas'],
    action: /scale Deployment podinfo up/,
    mend(scene) {
      scene.world.targetDown = false;
      delete scene.target;
      scene.world.tick();
    },
  },
  {
    title: 'a primary that cannot take what was promoted',
    play() {
      const world = initialized(aCanary({ stepWeight: 50 }));
      world.behaviour.brokenPrimary.add('s1:b');
      pushed(world, ({ step }) => step === 'awaitingPrimary');
      const status = { phase: 'Pending', containerStatuses: [{ name: 'web', state: { waiting: { reason: 'ImagePullBackOff' } } }] };
      return { world, primaryPods: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'test' }, status }] };
    },
    cause: 'ImageUnavailable',
    proof: ['Pod', 'status.containerStatuses[web].state.waiting'],
    action: /correct the image/,
    mend: comes,
  },
  {
    title: 'a primary that may not be written',
    play() {
      const world = initialized(aCanary({ stepWeight: 50 }));
      world.behaviour.refusesPromote = true;
      pushed(world, ({ canary, step }) => step === 'writingPrimary' && canary.status?.release?.reason !== undefined);
      return { world };
    },
    cause: 'PrimaryRefused',
    proof: ['Canary', 'status.release.reason'],
    action: /remove what refuses the primary/,
    mend({ world }) {
      world.behaviour.refusesPromote = false;
      world.tickUntil(({ step }) => step !== 'writingPrimary');
    },
  },
  {
    title: 'a primary whose pods are gone at rest',
    play() {
      const world = initialized();
      world.primaryDown = true;
      return { world };
    },
    cause: 'PrimaryDown',
    proof: ['Deployment', 'status.availableReplicas'],
    action: /wait for its pods/,
    mend({ world }) {
      world.primaryDown = false;
    },
  },
  {
    title: 'a release that failed',
    play() {
      const world = initialized(aCanary({ stepWeight: 20, threshold: 1 }));
      world.behaviour.verdicts = [verdict({ value: 3 })];
      return { world: pushed(world, ({ phase, step }) => phase === 'Failed' && step === 'resting') };
    },
    cause: 'Failed',
    proof: ['Canary', 'status.release.reason'],
    action: /push a corrected Deployment podinfo/,
    mend({ world }) {
      world.behaviour.verdicts = [];
      world.push('s1:c');
    },
  },
  {
    title: 'a Canary that nobody has seen',
    play: () => ({ world: new World(aCanary({ stepWeight: 20 })) }),
    cause: 'Unseen',
    proof: ['Canary', 'status.release'],
    action: /start the controller/,
    mend: ({ world }) => void world.begin(),
  },
  {
    title: 'a release that somebody suspended',
    play() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.canary.spec.suspend = true;
      return { world };
    },
    cause: 'Suspended',
    proof: ['Canary', 'spec.suspend'],
    action: /set spec\.suspend to false/,
    mend({ world }) {
      world.canary.spec.suspend = false;
    },
  },
  {
    title: 'an edit that is refused during a release',
    play() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.behaviour.refused = { reason: 'InvalidSpec', message: 'spec.analysis.stepWeight: is 0: set it from 1 to 100' };
      return { world };
    },
    cause: 'InvalidSpec',
    proof: ['Canary', 'spec.analysis.stepWeight'],
    action: /set it from 1 to 100/,
    mend({ world }) {
      delete world.behaviour.refused;
    },
  },
  {
    title: 'a route that the provider has not taken',
    play() {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.behaviour.unconfirmed = 'HTTPRoute podinfo: Accepted is False: no such Gateway';
      return { world };
    },
    cause: 'RouteUnconfirmed',
    proof: ['Canary', 'status.conditions[Promoted].message'],
    action: /correct what the provider says/,
    mend({ world }) {
      delete world.behaviour.unconfirmed;
    },
  },
  blocked(
    'a ConfigMap that is missing',
    text("ConfigMap settings, which the target's pods need, does not exist: create it, or make the reference optional"),
    'ConfigMissing',
    ['ConfigMap', 'metadata'],
    /create it, or make the reference optional/,
  ),
  blocked(
    'a Secret that is missing',
    text("Secret db, which the target's pods need, does not exist: create it, or make the reference optional"),
    'ConfigMissing',
    ['Secret', 'metadata'],
    /create it/,
  ),
  blocked(
    'a Secret that may not be watched',
    text('Secret db cannot be watched: 403 Forbidden: grant list and watch to the service account of Serin'),
    'ConfigUnreadable',
    ['Secret', 'metadata'],
    /grant list and watch/,
  ),
  blocked(
    'a ConfigMap that may not be read',
    text('ConfigMap settings cannot be read: 403 Forbidden: grant it to the service account of Serin'),
    'ConfigUnreadable',
    ['ConfigMap', 'metadata'],
    /grant it/,
  ),
  blocked(
    'a copy that cannot be made',
    new ConfigCopyError('ConfigMap', 'settings-primary', 'exceeded quota'),
    'ConfigCopyRefused',
    ['ConfigMap', 'metadata'],
    /exceeded quota/,
  ),
  blocked(
    'a name that is taken',
    new NameTakenError('Service', 'podinfo-canary'),
    'NameTaken',
    ['Service', /canary-uid/],
    /rename or remove it, or annotate it serin.dev\/adopt=true/,
  ),
  blocked(
    'a CRD that is absent',
    new ProviderUnavailableError('the cluster has no VirtualService in networking.istio.io/v1: install its CRD'),
    'KindAbsent',
    ['CustomResourceDefinition', 'spec.versions'],
    /install its CRD/,
  ),
  blocked(
    'a permission that is missing',
    api(403, 'PATCH /apis/networking.istio.io: 403 Forbidden: no'),
    'Forbidden',
    ['Canary', /Promoted/],
    /by a Role or ClusterRole/,
  ),
  blocked(
    'an object that an admission rule refuses',
    api(422, 'POST /apis/apps: 422 Invalid: denied by policy'),
    'ApiRefused',
    ['Canary', /Promoted/],
    /denied by policy/,
  ),
  blocked(
    'a scaler that is missing',
    new ScalerMissingError('HorizontalPodAutoscaler', 'podinfo'),
    'ScalerMissing',
    ['HorizontalPodAutoscaler', 'metadata'],
    /create it, or correct the name/,
  ),
  blocked(
    'a field that comes back',
    new TemplateLeftoverError('podinfo-primary', 'spec.template.spec.hostNetwork'),
    'TemplateLeftover',
    ['Deployment', 'spec.template.spec.hostNetwork'],
    /another controller or webhook/,
  ),
  blocked(
    'a history that is gone',
    new NoPromotedTemplateError('podinfo-primary'),
    'NoPromotedTemplate',
    ['Deployment', 'metadata'],
    /push a good revision/,
  ),
  blocked(
    'a route that cannot be said',
    new RoutingError('service.rewrite cannot be said in a GRPCRoute: remove it'),
    'RouteRefused',
    ['Canary', 'spec.service.rewrite'],
    /remove it/,
  ),
  blocked(
    'something else',
    text('the moon is in the way: wait for the morning'),
    'Obstacle',
    ['Canary', /Promoted/],
    /wait for the morning/,
  ),
];

describe('serin why of a release that stands still', () => {
  it.each(stalls)('$title: $cause is named, proved and cleared', ({ play, cause, proof: [kind, field], action, mend }) => {
    const scene = play();
    const why = whyOf(sightIn(scene));
    expect(why.diagnosis.cause, why.diagnosis.sentence).toBe(cause);
    const [proof] = why.diagnosis.proof;
    expect(proof?.kind).toBe(kind);
    expect(proof?.field).toMatch(field);
    expect(why.diagnosis.action).toMatch(action);
    mend(scene);
    expect(whyOf(sightIn(scene)).diagnosis.cause).not.toBe(cause);
  });

  it('says of a release that runs, and of one that rests, that nothing holds it', () => {
    const world = pushed(initialized(aCanary({ stepWeight: 20 })));
    expect(whyOf(sightIn({ world }))).toMatchObject({ waits: true, diagnosis: { cause: 'Running' } });
    expect(whyOf(sightIn({ world: initialized() }))).toMatchObject({ waits: false, diagnosis: { cause: 'Resting' } });
  });
  it('is tried with at least sixty stalls, with those of refused.test.ts', () => {
    expect(stalls.length + 35).toBeGreaterThanOrEqual(60);
  });
});
