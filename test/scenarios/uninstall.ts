import { describe, expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { App } from './adversity/app.ts';
import { Lab, PROXIES_KNOW } from './adversity/lab.ts';
import { applyCrds, type Environment } from './environment.ts';
import { until } from './until.ts';
import { startUsers } from './users.ts';

export type Removal = 'canary' | 'crds' | 'namespace' | 'serin';
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'canaries.flagger.app' } as const;

/** Every order in which an installation can be taken apart. */
export const removals: readonly (readonly Removal[])[] = permutations(['canary', 'crds', 'namespace', 'serin']);

/** Some of them by a seed, so that every run of the short suite is the same. */
export function sampleOfRemovals(count: number, seed: number): readonly (readonly Removal[])[] {
  return Array.from({ length: count }, (_, index) => removals[(seed + index * 7) % removals.length] ?? []);
}

/** Takes the resource definitions away, so that no other controller may run on the environment. */
export function describeUninstall(environmentOf: () => Environment, orders: readonly (readonly Removal[])[]): void {
  describe('uninstalling', () => {
    it.each(orders.map((order) => [order.join(', '), order] as const))(
      'I7: %s: no request is lost, and nothing waits',
      async (name, order) => {
        const environment = environmentOf();
        await applyCrds(environment.cluster);
        const namespace = `off-${name.replaceAll(', ', '-')}`;
        const lab = await Lab.open(environment, { namespace, scaleDownDelay: PROXIES_KNOW, interval: '500ms' });
        const app = new App(lab, 'podinfo');
        await app.create();
        lab.startController();
        await app.createCanary('istio', { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 });
        await app.becomesIdle('Initialized');
        const users = startUsers(environment.mesh.urls, app.host);
        try {
          let isControlled = true;
          let isCanary = true;
          for (const removal of order) {
            if (removal === 'serin') {
              await lab.stopController('TERM');
              isControlled = false;
            } else if (removal === 'namespace') {
              // Deleting the namespace removes the application.
              await users.stop();
              await lab.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
              await until(lab.cluster, { apiVersion: 'v1', kind: 'Namespace', name: namespace }, 'is gone', (now) => now === undefined);
              break;
            } else {
              await lab.cluster.delete(removal === 'canary' ? app.canary : CRD);
              if (removal === 'crds') await until(lab.cluster, CRD, 'is gone', (now) => now === undefined);
              if (isControlled && isCanary) {
                await lab.until(app.primary, 'is gone', (now) => now === undefined);
                await lab.until(app.target, 'serves again', (now) => raw(now)?.status?.availableReplicas === 3);
              }
              isCanary = false;
            }
            await users.pace(60);
          }
          expect(users.lost(), lab.log()).toEqual([]);
        } finally {
          await users.stop();
          await lab.close();
          await applyCrds(environment.cluster);
        }
      },
    );
  });
}

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, index) => permutations(all.toSpliced(index, 1)).map((rest) => [one, ...rest]));
}
