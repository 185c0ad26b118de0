import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/api/canary-status.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aController, startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { APP, Scenario } from './scenario.ts';

const END = `deliveries/${APP} is promoted: its primary receives all traffic`;

/** The end of a release reaches each receiver by itself, once. */
export function describeDeliveries(environmentOf: () => Environment): void {
  describe('the end of a release', () => {
    const controllerOf = aController(environmentOf);

    it('E105, I6: each hook that answers is called once, a 4xx is final, others are called again, and the Kubernetes event is one', async () => {
      const environment = environmentOf();
      const { cluster } = environment;
      const scenario = await Scenario.begin(environment, controllerOf(), 'deliveries');
      const { hooks } = scenario;
      const hook = (name: string, type: string) => ({ name, type, url: hooks.url(name) });
      const eventsOf = async (reason: string): Promise<KubeObject[]> => {
        const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: scenario.namespace });
        return items.filter((event) => event.reason === reason);
      };
      const listed = async (): Promise<string[]> => {
        const canary = await cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: scenario.namespace });
        const deliveries: Delivery[] = raw(canary)?.status?.release?.deliveries ?? [];
        return deliveries.map(({ hook: to, kind }) => to?.name ?? kind);
      };
      const ends = () => hooks.calls('events').filter(({ metadata }) => (metadata as { eventMessage?: string }).eventMessage === END);
      const counts = () => Object.fromEntries(['first', 'refuses', 'busy', 'last'].map((name) => [name, hooks.calls(name).length]));
      try {
        hooks.answers('refuses', 404);
        hooks.answers('busy', () => (hooks.calls('busy').length < 3 ? 500 : 200));
        hooks.answers('events', 503);
        await scenario.given.aDeployment();
        const after = ['first', 'refuses', 'busy', 'last'].map((name) => hook(name, 'post-rollout'));
        const webhooks = [hook('events', 'event'), ...after];
        await scenario.given.aCanary({ iterations: 1, metrics: [], webhooks }, { provider: 'kubernetes' });
        await scenario.when.imageChanges('2');
        await scenario.then.releaseEnds('Succeeded');

        await eventually('only the event webhook is left', listed, (left) => left.length === 1 && left[0] === 'events');
        const writes = environment.requestCounts()['patch canaries/status'];
        await eventually(
          'the event webhook is called four times',
          async () => ends().length,
          (count) => count >= 4,
        );
        expect(counts()).toEqual({ first: 1, refuses: 1, busy: 3, last: 1 });
        expect(environment.requestCounts()['patch canaries/status'], 'an attempt costs no write').toBe(writes);

        hooks.answers('events', 200);
        await eventually('nothing is left', listed, (left) => left.length === 0);
        const [succeeded, ...more] = await eventsOf('Succeeded');
        expect([succeeded?.count ?? 1, more.length]).toEqual([1, 0]);
        const passed = ['first', 'busy', 'last'].map((name) => `The post-rollout hook ${name} passed: 1`).toSorted();
        const reported = async () => (await eventsOf('HookPassed')).map(({ message, count }) => `${message}: ${count}`).toSorted();
        await eventually('E85: each that passed is reported once', reported, (lines) => lines.join() === passed.join());
        const failed = (await eventsOf('HookFailed')).map(({ message }) => String(message));
        expect(failed.filter((message) => message.startsWith('post-rollout failed: refuses: HTTP 404'))).toHaveLength(1);
      } finally {
        await scenario.end();
      }
    });
  });

  // Without another controller in the environment: of two, one would stand aside.
  describe('a stop', () => {
    it('of the controller ends it while an alert waits for its next attempt', async () => {
      const namespace = 'stopped-deliveries';
      const controller = startController(environmentOf(), { namespaces: namespace });
      const scenario = await Scenario.begin(environmentOf(), controller, namespace);
      try {
        await scenario.given.aDeployment();
        const alerts = [{ name: 'releases', severity: 'info', providerRef: { name: 'missing' } }];
        await scenario.given.aCanary({ iterations: 1, metrics: [], alerts }, { provider: 'kubernetes' });
        await eventually('the alert waits', () => readFileSync(controller.logFile, 'utf8').includes('"delivery failed"'));
        const ended = controller.stop('TERM');
        await eventually('the controller has ended', () => controller.hasExited());
        await ended;
        expect(await controller.exited).toBe(0);
      } finally {
        await controller.stop('KILL');
        await scenario.end();
      }
    });
  });
}
