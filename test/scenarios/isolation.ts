import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { aCanary, aDeployment, makeNamespace, push } from './troubles/objects.ts';
import { aReportWatch } from './troubles/report-watch.ts';
import { world } from './world.ts';

/** One Canary's trouble is its own. */
export function describeIsolation(environmentOf: () => Environment): void {
  describe('isolation', () => {
    aController(environmentOf);
    const reportsOf = aReportWatch(environmentOf);

    it('I12: a webhook that hangs for 30 s keeps its own Canary waiting, and no other', async () => {
      const { cluster } = environmentOf();
      const asked = Promise.withResolvers<void>();
      const hanging = createServer(() => asked.resolve());
      const silence = await world().network.listen(hanging);
      const url = `${silence.url}/`;
      try {
        for (const name of ['stuck', 'free']) {
          await makeNamespace(cluster, name);
          await cluster.create(aDeployment(name, 'web'));
          const webhooks = name === 'stuck' ? [{ name: 'slow', type: 'rollout', url, timeout: '30s' }] : [];
          // A high threshold: failed checks must not end the stuck release while the free one is still in progress.
          await cluster.create(aCanary(name, 'web', { webhooks, threshold: 50 }));
        }
        for (const name of ['stuck', 'free']) await reportsOf().until(name, 'web', 'Initialized', ({ phase }) => phase === 'Initialized');
        await push(cluster, 'stuck', 'web', '2');
        await asked.promise;
        await push(cluster, 'free', 'web', '2');
        await reportsOf().until('free', 'web', 'success', ({ phase }) => phase === 'Succeeded');
        expect(reportsOf().of('stuck', 'web').phase).toBe('Progressing');
      } finally {
        await silence.close(true);
      }
    });
  });
}
