import { setImmediate as aTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { ControllerConfig } from '../config.ts';
import { type RestoreDeps, restoreApplication } from './restore-application.ts';

const { signal } = new AbortController();
const metadata = { name: 'podinfo', namespace: 'test', generation: 2, resourceVersion: '7' };
const selector = { matchLabels: { app: 'podinfo' } };

const READY = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
const SCHEDULED = { desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 };

const aDeployment = (replicas: number): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
  spec: { replicas, selector, template: { spec: { containers: [] } } },
  status: { observedGeneration: 2, ...(replicas > 0 && READY) },
});

/** Scaled to zero by its node selector; `podsLeft` of its pods are still terminating. */
const aDaemonSet = (podsLeft: number, nodeSelector: object = { 'flagger.app/scale-to-zero': 'true' }): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata },
  spec: { selector, template: { spec: { containers: [], nodeSelector } } },
  status: { observedGeneration: 2, numberMisscheduled: podsLeft, ...(podsLeft === 0 && SCHEDULED) },
});

interface Restored {
  /** The target at first, and after each time that it is raised. */
  target: KubeObject;
  raised: KubeObject;
  isInherited?: (timesRaised: number) => boolean;
}

/** Restores the application on a target that the test holds. */
function restoring({ target, raised, isInherited = () => false }: Restored) {
  let live = target;
  let timesRaised = 0;
  const waits = new Set<() => void>();
  const becomes = (now: KubeObject): void => {
    live = now;
    for (const look of waits) look();
  };
  const kind = target.kind === 'DaemonSet' ? 'DaemonSet' : 'Deployment';
  const canary = aCanary({}, { targetRef: { apiVersion: 'apps/v1', kind, name: 'podinfo' } });
  const clock = handClock();
  const deps = {
    ...{ clock, signal, config: ControllerConfig.parse({}), isHeld: false, isInherited: () => isInherited(timesRaised) },
    ...{ isInterrupted: () => false, isDue: async () => true, woken: () => new Promise(() => undefined) },
    log: { info: () => undefined },
    anchors: { read: () => ({ target: { replicas: 1 } }) },
    cluster: {
      get: async ({ kind, name }: ObjectRef) => {
        if (kind === target.kind) return name === 'podinfo' ? live : undefined;
        return { apiVersion: 'v1', kind, metadata: { name } };
      },
      patch: async (ref: ObjectRef) => {
        if (ref.kind !== target.kind) return;
        timesRaised += 1;
        becomes(raised);
      },
    },
    view: {
      find: () => ({ object: live }),
      until: (_: ObjectRef, isSo: (now: KubeObject) => boolean) =>
        new Promise<void>((resolve) => {
          const look = () => {
            if (isSo(live)) resolve();
          };
          waits.add(look);
          look();
        }),
    },
  } as unknown as RestoreDeps;
  const end = restoreApplication(canary, deps).catch(String);
  return { end, clock, becomes, timesRaised: () => timesRaised };
}

it('I7: a target that falls again while proxies learn of it is raised five times, and then all of it begins again', async () => {
  const { end, clock, becomes, timesRaised } = restoring({ target: aDeployment(0), raised: aDeployment(1) });
  for (let round = 1; round <= 5; round += 1) {
    await aTurn();
    expect([timesRaised(), clock.pending]).toEqual([round, 1]);
    becomes(aDeployment(0));
    clock.advance(clock.nextInMs ?? 0);
  }
  expect(await end).toContain('podinfo does not stay ready: traffic stays on its primary');
  expect(timesRaised()).toBe(5);
});

describe('I7, I10: a DaemonSet whose pods are terminating', () => {
  const restored = () => restoring({ target: aDaemonSet(2), raised: aDaemonSet(0, {}), isInherited: (times) => times > 0 });

  it('is raised when they are gone', async () => {
    const { end, clock, becomes, timesRaised } = restored();
    await aTurn();
    clock.advance(10_000);
    becomes(aDaemonSet(1));
    await aTurn();
    expect(timesRaised()).toBe(0);
    becomes(aDaemonSet(0));
    await aTurn();
    expect(timesRaised()).toBe(1);
    clock.advance(600_000);
    expect(await end).toBe('over');
  });

  it('is raised after their time, though a lost node does not let them go', async () => {
    const { end, clock, timesRaised } = restored();
    await aTurn();
    clock.advance(34_999);
    await aTurn();
    expect(timesRaised()).toBe(0);
    clock.advance(1);
    await aTurn();
    expect(timesRaised()).toBe(1);
    clock.advance(600_000);
    expect(await end).toBe('over');
  });
});
