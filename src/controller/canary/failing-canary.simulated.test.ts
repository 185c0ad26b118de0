import { expect, it, vi } from 'vitest';
import { aModelCanary, type ModelLab, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { type Disruption, type Failing, ModelPods } from '../../../test/fakes/model/pods.ts';
import { awaitEnd, initializedLab, stepOf } from '../../../test/fakes/model/released.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const INTERVAL_MS = 60_000;
const analysis = { interval: '60s', threshold: 3, stepWeight: 5, maxWeight: 50 };

/** Back-off of a kubelet: 10 s, doubled with each end, 300 s at most. */
const BACK_OFF_MS = { from: 10_000, to: 300_000 };

/** The one pod of the canary. */
class CanaryPod {
  readonly #lab: ModelLab;
  readonly #pods: ModelPods;
  #restarts = 0;

  constructor(lab: ModelLab) {
    this.#lab = lab;
    this.#pods = new ModelPods(lab.server, lab.clock, lab.nodes);
  }

  /** The container ends, waits for its back-off, and runs again. */
  async crash(how: 'exit' | 'oom' = 'exit'): Promise<void> {
    await this.fail({ how, ms: 1_000 + Math.min(BACK_OFF_MS.to, BACK_OFF_MS.from * 2 ** this.#restarts) });
    this.#restarts += 1;
  }

  async fail(failing: Failing): Promise<void> {
    expect(this.#pods.fail(this.#target(), failing)).toBe(true);
    await this.#lab.pass(failing.ms);
  }

  /** Another one takes its place. */
  async evict(reason: Disruption, ms: number): Promise<void> {
    expect(this.#pods.evict(this.#target(), reason, ms)).toBe(true);
    await this.#lab.pass(ms);
  }

  #target(): KubeObject {
    const target = this.#lab.server.find(targetRef);
    if (target === undefined) throw new Error('the target is gone');
    return target;
  }
}

/** A release at its first weight, with one pod. */
async function releasing(plan: object = analysis): Promise<{ lab: ModelLab; pod: CanaryPod }> {
  const lab = await initializedLab({}, aModelCanary(plan, { progressDeadlineSeconds: 600 }));
  const pod = new CanaryPod(lab);
  lab.push('2');
  const isReached = await lab.passUntil(() => (raw(lab.canary())?.status?.canaryWeight ?? 0) > 0, 200_000);
  expect(isReached).toBe(true);
  return { lab, pod };
}

const release = (lab: ModelLab) => raw(lab.canary())?.status?.release;
const imageOf = (lab: ModelLab) => raw(lab.server.find(primaryRef))?.spec.template.spec.containers[0].image;

it.each([
  {
    what: 'exits after 15 s',
    fail: (pod: CanaryPod) => pod.crash(),
    upMs: 15_000,
    says: /container web of pod podinfo-x\d+ exited with code 3/,
  },
  {
    what: 'exits after 40 s',
    fail: (pod: CanaryPod) => pod.crash(),
    upMs: 40_000,
    says: /container web of pod podinfo-x\d+ exited with code 3/,
  },
  {
    what: 'runs out of memory',
    fail: (pod: CanaryPod) => pod.crash('oom'),
    upMs: 15_000,
    says: /container web of pod podinfo-x\d+ ran out of memory/,
  },
  {
    what: 'is unready a third of the time',
    fail: (pod: CanaryPod) => pod.fail({ how: 'flap', ms: 5_000 }),
    upMs: 10_000,
    says: /pod podinfo-x\d+ lost its readiness/,
  },
])('I20: a canary that $what is rolled back within threshold × interval of the first failing', async ({ fail, upMs, says }) => {
  const { lab, pod } = await releasing();
  await lab.pass(upMs);
  const fromMs = lab.clock.nowMs();
  while (lab.clock.nowMs() - fromMs < 900_000 && lab.phase() === 'Progressing') {
    await fail(pod);
    await lab.pass(upMs);
  }
  expect(Date.parse(raw(lab.canary())?.status?.lastTransitionTime) - fromMs).toBeLessThanOrEqual(3 * INTERVAL_MS);
  expect([lab.phase(), release(lab)?.reason]).toEqual(['Failed', expect.stringMatching(says)]);
  expect(eventsOf(lab, 'CheckFailed').length).toBeGreaterThan(0);
  await awaitEnd(lab, 'Failed');
  expect([imageOf(lab), lab.answering()]).toEqual(['1', ['podinfo-primary']]);
});

it('I20: 20 drains and spot evictions count as nothing, and the release succeeds', async () => {
  const { lab, pod } = await releasing({ ...analysis, threshold: 1 });
  for (let times = 0; times < 20; times += 1) {
    await pod.evict(times % 2 === 0 ? 'EvictionByEvictionAPI' : 'TerminationByKubelet', 8_000);
    await lab.pass(20_000);
  }
  await awaitEnd(lab, 'Succeeded');
  expect([imageOf(lab), eventsOf(lab, 'CheckFailed')]).toEqual(['2', []]);
});

it('I20, E53: a controller that is killed between two crashes loses no count and doubles none', async () => {
  const { lab, pod } = await releasing({ ...analysis, threshold: 10 });
  // The status that is stored next knows the pod.
  await lab.pass(2 * INTERVAL_MS);
  const counts: number[] = [];
  for (let times = 0; times < 3; times += 1) {
    await lab.pass(5_000);
    lab.kill();
    await pod.crash();
    lab.start();
    await lab.pass(2 * INTERVAL_MS);
    counts.push(release(lab)?.failedChecks);
  }
  expect(counts).toEqual([1, 2, 3]);
});

it('E27a, I8: pods are watched from the start of a release until its end, and never while the Canary is idle', async () => {
  const lab = await initializedLab({}, aModelCanary(analysis));
  const watched = () => lab.watchedKinds.includes('Pod');
  expect(watched()).toBe(false);
  lab.push('2');
  await lab.passUntil(() => stepOf(lab) === 'analysing', 200_000);
  expect(watched()).toBe(true);
  await awaitEnd(lab, 'Succeeded');
  await lab.pass(5_000);
  expect(watched()).toBe(false);
});
