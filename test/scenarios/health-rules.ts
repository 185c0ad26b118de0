import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { Phase } from '../../src/api/phase.ts';
import { raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { type HookServer, startHookServer } from './hook-server.ts';
import { aCanary, aDeployment, canaryRef, makeNamespace, push } from './troubles/objects.ts';
import { until } from './until.ts';
import { afterAll, beforeAll } from './world.ts';

interface Health {
  status: 'Healthy' | 'Degraded' | 'Progressing';
  message: string;
}

/** Health as GitOps tools read it from a Canary: by its phase, with the last condition's message. Throws if such a rule would find nothing to read. */
function healthOf(canary: KubeObject): Health {
  const { phase, canaryWeight, conditions } = raw(canary).status;
  expect(Phase.options).toContain(phase);
  expect(canaryWeight, phase).toBeTypeOf('number');
  expect(conditions, phase).not.toHaveLength(0);
  for (const { type, status, reason, message, lastTransitionTime, lastUpdateTime } of conditions) {
    expect(
      [type, status, reason, message].every((text) => typeof text === 'string' && text !== ''),
      JSON.stringify(conditions),
    ).toBe(true);
    expect(Number.isNaN(Date.parse(lastTransitionTime)) || Number.isNaN(Date.parse(lastUpdateTime))).toBe(false);
    expect(['Ready', 'Reconciling', 'Stalled']).not.toContain(type);
  }
  const { message } = conditions[0];
  if (phase === 'Failed') return { status: 'Degraded', message };
  return { status: phase === 'Initialized' || phase === 'Succeeded' ? 'Healthy' : 'Progressing', message };
}

/** The status that `kubectl wait --for=condition=promoted` compares. */
const promoted = (canary: KubeObject | undefined): string | undefined =>
  raw(canary)?.status?.conditions?.find(({ type }: { type: string }) => type.toLowerCase() === 'promoted')?.status;

/** Fields of a Canary that GitOps tools and `kubectl wait` read. */
export function describeHealthRules(environmentOf: () => Environment): void {
  describe('health', () => {
    aController(environmentOf);
    let hooks: HookServer;
    beforeAll(async () => {
      hooks = await startHookServer();
    });
    afterAll(() => hooks?.stop());

    it('the health rules of GitOps tools hold in every phase of a promoted, a gated and a failed release', async () => {
      const { cluster } = environmentOf();
      const seen = new Map<string, Set<string>>();
      const broken: unknown[] = [];
      const look = (canary: KubeObject) => {
        if (canary.status === undefined) return;
        try {
          const { status } = healthOf(canary);
          const { phase } = raw(canary).status;
          seen.set(phase, (seen.get(phase) ?? new Set()).add(`${status} ${promoted(canary)}`));
        } catch (error) {
          broken.push(error);
        }
      };
      const watch = cluster.watch(
        { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
        { onEvent: ({ type, object }) => type !== 'DELETED' && look(object), onList: (items) => items.forEach(look) },
      );
      await watch.synced;
      const phase = (wanted: string) => until(cluster, canaryRef('health', 'web'), wanted, (now) => raw(now)?.status?.phase === wanted);
      try {
        await makeNamespace(cluster, 'health');
        await cluster.create(aDeployment('health', 'web'));
        const hook = (type: string) => ({ name: type, type, url: hooks.url(type), timeout: '30s' });
        const webhooks = [hook('confirm-rollout'), hook('confirm-promotion'), hook('rollout')];
        await cluster.create(aCanary('health', 'web', { webhooks }));
        await phase('Initialized');

        for (const gate of ['confirm-rollout', 'confirm-promotion']) hooks.answers(gate, 403);
        await push(cluster, 'health', 'web', '2');
        await phase('Waiting');
        hooks.answers('confirm-rollout', 200);
        await phase('WaitingPromotion');
        hooks.answers('confirm-promotion', 200);
        await until(cluster, canaryRef('health', 'web'), 'is promoted', (now) => promoted(now) === 'True');
        await phase('Succeeded');

        hooks.answers('rollout', 500);
        await push(cluster, 'health', 'web', '3');
        await phase('Failed');
        // Two watches hear of it one after the other.
        await eventually(
          'the phase was seen to be Failed',
          () => [...seen.keys()],
          (phases) => phases.includes('Failed'),
        );
      } finally {
        watch.stop();
      }
      expect(broken).toEqual([]);
      expect(Object.fromEntries([...seen].map(([name, all]) => [name, [...all]]))).toEqual({
        Initializing: ['Progressing Unknown'],
        Initialized: ['Healthy True'],
        Waiting: ['Progressing Unknown'],
        Progressing: ['Progressing Unknown'],
        WaitingPromotion: ['Progressing Unknown'],
        Promoting: ['Progressing Unknown'],
        Finalising: ['Progressing Unknown'],
        Succeeded: ['Healthy True'],
        Failed: ['Degraded False'],
      });
    });
  });
}
