import { expect, it } from 'vitest';
import { Lab } from '../adversity/lab.ts';
import type { Environment } from '../environment.ts';
import { bringToIdle, MIXED_KINDS, mixedNamespace } from './mixed.ts';

const TIMEOUT_MS = 240_000;
const READS = /^(get|list|watch) /;
/** Two Canaries of each kind: one initialized and one promoted. */
const numbers = Array.from({ length: 2 * MIXED_KINDS }, (_, index) => index);

/** Counts requests, so that no other controller may run on the environment. */
export function describeMixedIdle(environmentOf: () => Environment): void {
  it('I8: a restart over resting Canaries of every kind, with configs and scalers, writes nothing but the lease', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const namespace = 'mixed';
    const namespaces = numbers.map(mixedNamespace).join(',');
    const flags = { namespaces, 'enable-leader-election': 'true', 'leader-election-namespace': namespace };
    const lab = await Lab.open(environmentOf(), { namespace, scaleDownDelay: '500ms', interval: '500ms', flags });
    try {
      lab.startController();
      await Promise.all(numbers.map((index) => bringToIdle(lab.cluster, index, (canary, isSo) => lab.until(canary, 'is idle', isSo))));
      await lab.settled(3_000);
      await lab.stopController('TERM');
      const before = lab.requests();
      lab.startController();
      await lab.controllerIsUp();
      await lab.settled(5_000);
      const since = lab.requestsSince(before);
      expect(Object.keys(since).filter((what) => !READS.test(what) && !what.endsWith(' leases'))).toEqual([]);
      // It has looked at all of them: a controller that saw nothing would write nothing either.
      expect(Object.keys(since)).toEqual(
        expect.arrayContaining([
          'update leases',
          'list canaries',
          'list daemonsets',
          'list horizontalpodautoscalers',
          'list scaledobjects',
        ]),
      );
    } finally {
      await lab.close();
    }
  });
}
