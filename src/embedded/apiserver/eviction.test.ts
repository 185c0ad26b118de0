import { describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { Api } from './api.ts';
import { evict } from './eviction.ts';
import type { Resource } from './resources.ts';
import { StatusError } from './status.ts';
import { internalWrite } from './write-context.ts';

const TIME = '2026-01-01T00:00:00Z';
const condition = (fields: object) => ({ type: 'DisruptionAllowed', status: 'False', lastTransitionTime: TIME, message: '', ...fields });

/** A ready pod under one budget with this status, as a controller could have left it. */
class UnderBudget {
  readonly #api = new Api({ clock: handClock(), random: () => 0.5 }, 100);

  constructor(status: object) {
    this.#write({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    const metadata = { name: 'web', namespace: 'shop', labels: { app: 'web' } };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'n1', containers: [{ name: 'web', image: 'web:1' }] } };
    this.#write(pod, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
    this.#write({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'guard', namespace: 'shop' }, spec }, status);
  }

  /** The answer's code, message and cause. */
  evict(isDryRun = false): { code: number; message?: string; cause?: string | undefined; retryAfter?: number | undefined } {
    try {
      evict(this.#api, this.#resource('v1', 'Pod'), 'shop', 'web', { metadata: { name: 'web' } }, isDryRun);
      return { code: 201 };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { code, message, details } = error;
      return { code, message, cause: details?.causes?.[0]?.message, retryAfter: details?.retryAfterSeconds };
    }
  }

  status() {
    return raw(this.#api.get(this.#resource('policy/v1', 'PodDisruptionBudget'), 'shop', 'guard')).status;
  }

  isLeaving(): boolean {
    return this.#api.get(this.#resource('v1', 'Pod'), 'shop', 'web').metadata.deletionTimestamp !== undefined;
  }

  #resource(apiVersion: string, kind: string): Resource {
    const found = this.#api.resources.byKind(apiVersion, kind);
    if (!found) throw new Error(`${kind} is not served`);
    return found;
  }

  #write(object: KubeObject, status?: object): void {
    const resource = this.#resource(object.apiVersion, object.kind);
    const { name, namespace = '' } = object.metadata;
    const made = this.#api.create(resource, namespace, object, internalWrite);
    if (status) this.#api.update(resource, namespace, name, { ...made, status }, { ...internalWrite, subresource: 'status' });
  }
}

const sync = { currentHealthy: 1, desiredHealthy: 0, expectedPods: 1, observedGeneration: 1 };

describe('an eviction under a budget', () => {
  it('is put off while the controller has not seen the budget', () => {
    const pod = new UnderBudget({ ...sync, observedGeneration: 0, disruptionsAllowed: 1 });
    const cause = 'The disruption budget guard is still being processed by the server.';
    expect(pod.evict()).toMatchObject({ code: 429, cause, retryAfter: 10 });
    expect(pod.isLeaving()).toBe(false);
  });

  it('is noted in the status, which the last disruption turns to InsufficientPods', () => {
    const pod = new UnderBudget({ ...sync, disruptionsAllowed: 1, conditions: [condition({ status: 'True', reason: 'SufficientPods' })] });
    expect(pod.evict(true)).toEqual({ code: 201 });
    expect([pod.isLeaving(), pod.status().disruptionsAllowed]).toEqual([false, 1]);
    expect(pod.evict()).toEqual({ code: 201 });
    expect(pod.isLeaving()).toBe(true);
    expect(pod.status()).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { web: expect.stringMatching(/Z$/) },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1 }],
    });
  });

  it.each([
    {
      why: 'a failed sync',
      status: { conditions: [condition({ reason: 'SyncFailed', message: 'found no controllers for pod "web"' })] },
      cause:
        'The disruption budget guard does not allow evicting pods currently because it failed sync: found no controllers for pod "web"',
    },
    { why: 'healthy pods', status: { desiredHealthy: 1 }, cause: 'The disruption budget guard needs 1 healthy pods and has 1 currently' },
    { why: 'evictions under way', status: {}, cause: 'The disruption budget guard does not allow evicting pods currently' },
    {
      why: 'the words of the condition',
      status: { conditions: [condition({ reason: 'Other', message: 'not now' })] },
      cause: 'The disruption budget guard does not allow evicting pods currently (Other): not now',
    },
  ])('is refused for $why', ({ status, cause }) => {
    const pod = new UnderBudget({ ...sync, disruptionsAllowed: 0, ...status });
    expect(pod.evict()).toEqual({
      code: 429,
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      cause,
      retryAfter: undefined,
    });
  });

  it('is refused where the controller has not confirmed 2,001 others', () => {
    const disruptedPods = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`pod-${index}`, TIME]));
    expect(new UnderBudget({ ...sync, disruptionsAllowed: 1, disruptedPods }).evict()).toMatchObject({ code: 403 });
  });
});
