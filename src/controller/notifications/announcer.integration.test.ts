import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { hookedCanary } from '../../../test/fakes/hooked-canary.ts';
import { withServer } from '../../../test/fakes/test-server.ts';
import { atOnce } from '../../api/turns.ts';
import type { Announcement } from '../../engine/reasons.ts';
import { openEgress } from '../../outgoing/own-egress.ts';
import { announcer } from './announcer.ts';

it('an announcement has its own reason, and nothing waits for an event webhook', async () => {
  const recorded: string[] = [];
  const warned: object[] = [];
  let answer = (): void => undefined;
  const asked = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  await withServer(
    (_request, response) => {
      answer = () => response.writeHead(500).end();
      asked.resolve();
    },
    async (url) => {
      const { announce } = announcer({
        metrics: { announced: (_, reason) => recorded.push(`counted ${reason}`) },
        recorder: {
          record: async (_, { reason }) => {
            recorded.push(`recorded ${reason}`);
            return 'taken';
          },
        },
        log: {
          ...{ debug: () => undefined, info: () => undefined, error: () => undefined },
          warn(fields) {
            warned.push(fields);
            sent.resolve();
          },
        },
        ...{ clock: handClock(), secret: async () => undefined, eventWebhook: url },
        callsOf: () => ({ turns: atOnce, egress: openEgress, ownEgress: openEgress }),
        timeCall: () => () => undefined,
        signal: new AbortController().signal,
      });
      const announcement: Announcement = { type: 'Normal', reason: 'WeightAdvanced', message: 'Canary weight is now 20%' };
      announce(hookedCanary([]), announcement);
      expect(recorded).toEqual(['counted WeightAdvanced', 'recorded WeightAdvanced']);
      await asked.promise;
      expect(warned).toEqual([]);
      answer();
      await sent.promise;
      expect(warned).toEqual([{ canary: 'test/podinfo', webhook: 'event-webhook', reason: expect.stringContaining('HTTP 500') }]);
    },
  );
});
