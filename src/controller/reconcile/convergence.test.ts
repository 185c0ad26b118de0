import { expect, it, vi } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import { ApiError } from '../../kube/errors.ts';
import { ControllerConfig } from '../config.ts';
import { Convergence } from './convergence.ts';

const targets = { Deployment: 'apps/v1', Service: 'v1' } as const;
const refusal = (status: number, message: string) => new ApiError(message, { status, reason: 'Invalid' });
const trafficField = refusal(422, 'Service "podinfo-primary" is invalid: spec.trafficDistribution: Unsupported value');

/** A reconcile that is ended by this error. */
async function reached(kind: keyof typeof targets, error: Error) {
  const canary = aCanary(
    {},
    { targetRef: { apiVersion: targets[kind], kind, name: 'podinfo' }, service: { port: 80, trafficDistribution: 'PreferClose' } },
  );
  const blocked = vi.fn<(canary: unknown, blocker: { code?: string } | undefined) => number | undefined>();
  const view = {
    find(): never {
      throw error;
    },
    all: () => [],
  };
  const deps = { view, clock: handClock(), config: ControllerConfig.parse({}), cluster: {}, anchors: {} };
  const convergence = new Convergence(deps as never, { blocked } as never, undefined);
  const facts = { canary, nowMs: 0, provider: 'istio', target: {}, primary: {} };
  const router = { watches: () => [] };
  const done = convergence.reach(
    {
      ...canary,
      status: { phase: 'Initializing', release: { step: 'creatingPrimary', routes: { kind: 'weighted', canary: 0 } } },
    } as never,
    router as never,
    facts as never,
    new AbortController().signal,
  );
  return { done: await done.catch((thrown: unknown) => ({ thrown })), convergence, blocked };
}

it('a traffic field of the copies that the cluster refuses is left out, and all is tried again at once', async () => {
  const { done, convergence, blocked } = await reached('Service', trafficField);
  expect([done, blocked.mock.calls]).toEqual([{ again: true }, []]);
  expect(convergence.trafficFields.areAccepted).toBe(false);
});

it('the Services of a target with pods go on without the field by themselves: what is refused here is a blocker', async () => {
  const { done, convergence } = await reached('Deployment', trafficField);
  expect(done).not.toEqual({ again: true });
  expect(convergence.trafficFields.areAccepted).toBe(true);
});

it('a conflict is tried again after two seconds, should the watch not bring the other write', async () => {
  const { done, blocked } = await reached('Deployment', refusal(409, 'the object has been modified'));
  expect([done, blocked.mock.calls]).toEqual([{ again: false, retryInMs: 2_000 }, []]);
});
