import type { Delivery, Verdict } from '../../src/api/canary-status.ts';
import type { EndingCause, EndingCode } from '../../src/api/codes/codes.ts';
import type { PodFailings } from '../../src/api/pod-failing.ts';
import type { Readiness } from '../../src/api/readiness.ts';
import type { Facts } from '../../src/engine/facts.ts';
import { withFailings } from '../../src/engine/failing.ts';
import { releasing as comparing } from './compared-release.ts';
import { failingStatuses, failingsOf } from './failing-pods.ts';
import { at, releasing, steps } from './releasing.ts';
import { verdict } from './stalled-release.ts';
import { unreachable } from './waiting-releases.ts';
import { aCanary, initialized, type World, withHooks } from './world.ts';

/** A release that has ended, and every message of its end. */
export interface EndedRelease {
  world: World;
  deliveries: readonly Delivery[];
}

const over = verdict({ check: 'errors', value: 7.5, limit: 'at most 1', reason: 'errors: 7.5 is above the maximum of 1' });
const blind = verdict({ check: 'errors', verdict: 'unmeasured', reason: 'Prometheus did not answer' });
const isFailed = at('Failed', 'resting');
const isSucceeded = at('Succeeded', 'resting');

const until = (world: World, isDone: (world: World) => boolean): World => {
  world.tickUntil(isDone);
  return world;
};

/** Adds facts that the world has no field for. */
function knowing(world: World, more: (nowMs: number) => Partial<Facts>): World {
  const facts = world.facts.bind(world);
  world.facts = () => ({ ...facts(), ...more(world.nowMs) });
  return world;
}

const crashing = (world: World): World => {
  world.watchPods();
  world.sendFacts();
  world.tick();
  world.crashPods();
  return until(world, isFailed);
};

/** Path of a release to each end. */
const SCENES: Readonly<Record<EndingCode, () => World>> = {
  Succeeded: () => until(releasing(), isSucceeded),
  AnalysisSkipped() {
    const world = initialized(aCanary(steps, { skipAnalysis: true }));
    world.push('s1:b');
    return until(world, isSucceeded);
  },
  PromotedByUser() {
    const world = releasing();
    world.ask('promote', 'r-1');
    return until(world, isSucceeded);
  },
  PromotionFailed() {
    const world = releasing();
    world.behaviour.brokenPrimary.add('s1:b');
    return until(world, isFailed);
  },
  Superseded() {
    const world = releasing();
    world.push('s1:c');
    return world;
  },
  Cancelled() {
    const world = releasing();
    world.push('s1:a');
    return until(world, isSucceeded);
  },
  ChecksFailed() {
    const world = releasing();
    world.behaviour.verdicts = [over, blind, verdict({ check: 'latency', verdict: 'passed', value: 210 })];
    return until(world, isFailed);
  },
  UnmeasuredTooLong() {
    const world = releasing({ unmeasured: 'hold' });
    world.behaviour.verdicts = [blind];
    return until(world, isFailed);
  },
  ComparedWorse: () => until(comparing({ mode: 'gate' }, { canary: 0.2, primary: 0.001, perSecond: 200 }), isFailed),
  HookRejected() {
    const world = releasing(withHooks('rollout'));
    Object.assign(world.behaviour, { words: 'the load test failed', hooks: { rollout: 'refused' } });
    return until(world, isFailed);
  },
  WebhookUnreachable() {
    const world = releasing(withHooks('rollout'));
    const words = 'no answer from load.shop: its certificate has expired (CERT_HAS_EXPIRED)';
    Object.assign(world.behaviour, { words, unanswered: true, hooks: { rollout: 'refused' } });
    return until(world, isFailed);
  },
  GateTimeout() {
    const world = initialized(aCanary({ ...steps, ...withHooks('confirm-rollout'), gateTimeout: '5m' }));
    Object.assign(world.behaviour, { words: 'the change window is closed', hooks: { 'confirm-rollout': 'refused' } });
    world.push('s1:b');
    return until(world, isFailed);
  },
  PodsFailing: () => crashing(releasing({ threshold: 1 })),
  RolloutStalled() {
    const world = initialized(aCanary(steps));
    world.behaviour.brokenCanary.add('s1:b');
    world.behaviour.stalls = true;
    world.push('s1:b');
    return until(world, isFailed);
  },
  TargetUnreachable() {
    const world = releasing();
    const facts = world.facts.bind(world);
    world.facts = () => unreachable(facts());
    world.sendFacts();
    return until(world, isFailed);
  },
  NotReadyInTime() {
    const world = initialized(aCanary(steps));
    world.behaviour.brokenCanary.add('s1:b');
    world.push('s1:b');
    return until(world, isFailed);
  },
  PodsNotStopped() {
    const world = initialized(aCanary(steps));
    Object.assign(world, { configs: { 'configmap/a': 'x' }, podsRead: { 'configmap/a': 'x' } });
    world.push('s1:b');
    until(world, ({ step }) => step === 'analysing');
    Object.assign(world, { configs: { 'configmap/a': 'y' }, configsVersion: '2' });
    world.watch = (desired) => {
      if (desired.target === 'zero') desired.target = 'untouched';
    };
    world.push('s1:c');
    return until(world, isFailed);
  },
  InsufficientCapacity() {
    const limits = { min: 1, max: 20 };
    const world = initialized(aCanary({ stepWeights: [30] }), (one) => {
      one.scaler = { name: 'HorizontalPodAutoscaler/podinfo', target: limits, primary: limits };
    });
    Object.assign(world, { primaryReplicas: 10, room: { target: 1, primary: 20 } });
    world.push('s1:b');
    return until(world, isFailed);
  },
  UnroutableTooLong() {
    const world = releasing();
    const sinceMs = world.nowMs;
    const object = { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService', name: 'podinfo', namespace: 'test' };
    knowing(world, () => ({ unroutable: { code: 'RouteRejected', object, detail: 'the host is unknown', sinceMs } }));
    return until(world, isFailed);
  },
  RefusedTooLong() {
    const world = releasing();
    const uncheckedUntilMs = world.nowMs + 60_000;
    const message = 'spec.analysis.stepWeight: is 0: set it from 1 to 100';
    world.behaviour.refused = { reason: 'InvalidSpec', message, field: 'spec.analysis.stepWeight', uncheckedUntilMs };
    world.crash();
    world.settle();
    world.tick(60_000);
    return until(world, isFailed);
  },
  RolledBackByHook() {
    const world = releasing(withHooks('rollback'));
    world.behaviour.hooks.rollback = 'passed';
    return until(world, isFailed);
  },
  RolledBackByUser() {
    const world = releasing();
    world.ask('rollback', 'r-1');
    return until(world, isFailed);
  },
  Unrecorded() {
    const world = SCENES.ChecksFailed();
    const { status } = world.canary;
    if (status?.release) {
      const { ending: _, ...release } = status.release;
      world.canary = { ...world.canary, status: { ...status, release } };
    }
    world.crash();
    world.settle();
    return world;
  },
};

/** The canary never becomes ready, and its pod has this status. */
function neverReady(failing: PodFailings): World {
  const world = initialized(aCanary(steps));
  world.behaviour.brokenCanary.add('s1:b');
  const facts = world.facts.bind(world);
  world.facts = () => {
    const now = facts();
    return now.target && now.target.revision === 's1:b' ? { ...now, target: withFailings(now.target, failing) } : now;
  };
  world.push('s1:b');
  return until(world, isFailed);
}

/** Its workload itself says the reason. */
function heldRollout(readiness: Pick<Readiness, 'reason' | 'cause'>): World {
  const world = initialized(aCanary(steps));
  world.behaviour.brokenCanary.add('s1:b');
  const facts = world.facts.bind(world);
  world.facts = () => {
    const now = facts();
    if (now.target?.revision !== 's1:b' || !world.behaviour.brokenCanary.has('s1:b')) return now;
    return { ...now, target: { ...now.target, readiness: { ...now.target.readiness, ...readiness } } };
  };
  world.push('s1:b');
  return until(world, isFailed);
}

/** No check can be measured. */
function unmeasured(more: Partial<Verdict>): World {
  const world = releasing({ unmeasured: 'hold' });
  world.behaviour.verdicts = [{ ...blind, ...more }];
  return until(world, isFailed);
}

const template = { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', name: 'errors', namespace: 'test' };
const secret = { apiVersion: 'v1', kind: 'Secret', name: 'prometheus', namespace: 'test' };

/** Path to an end by each cause. */
const CAUSES = {
  ...(Object.fromEntries(Object.entries(failingStatuses).map(([cause, status]) => [cause, () => neverReady(failingsOf(status))])) as Record<
    keyof typeof failingStatuses,
    () => World
  >),
  RolloutPaused: () =>
    heldRollout({ cause: 'RolloutPaused', reason: 'Deployment podinfo: its rollout is paused; set its spec.paused to false' }),
  PodsRefused: () => heldRollout({ cause: 'PodsRefused', reason: 'Deployment podinfo: its pods are refused: exceeded quota: compute' }),
  NoTraffic: () => unmeasured({ code: 'NoTraffic', reason: 'no request reached the canary' }),
  TemplateNotFound: () => unmeasured({ code: 'TemplateNotFound', object: template, reason: 'MetricTemplate test/errors does not exist' }),
  SecretNotFound: () => unmeasured({ code: 'SecretNotFound', object: secret, reason: 'Secret test/prometheus does not exist' }),
  QueryInvalid: () => unmeasured({ code: 'QueryInvalid', object: template, field: 'spec.query', reason: 'the query cannot be parsed' }),
  Unmeasured: () => unmeasured({ code: 'Unmeasured', reason: 'Prometheus did not answer' }),
} as const satisfies Partial<Record<EndingCause, () => World>>;

export const causesOfEnds = Object.keys(CAUSES) as (keyof typeof CAUSES)[];

/** A release that has ended by this cause. */
export const endedByCause = (cause: keyof typeof CAUSES): EndedRelease => withMessages(CAUSES[cause]());

/** A release that has ended in this way. */
export const endedBy = (code: EndingCode): EndedRelease => withMessages(SCENES[code]());

function withMessages(world: World): EndedRelease {
  const listed = world.asked.flatMap((one) => (one.kind === 'record' ? (one.release.deliveries ?? []) : []));
  const ofEnd = new Map(listed.filter(({ outcome }) => outcome !== undefined).map((one) => [one.key, one]));
  return { world, deliveries: [...ofEnd.values()] };
}
