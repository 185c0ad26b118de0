import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import { eventually } from '../../../test/scenarios/eventually.ts';
import { atOnce } from '../../api/turns.ts';
import type { Announcement } from '../../engine/reasons.ts';
import { openEgress } from '../../outgoing/own-egress.ts';
import { announcer } from './announcer.ts';
import { loggedEvents } from './logged-events.ts';

it('each announcement is an Event with a reason, a log line with the Canary, and a call of the event webhook with the phase', async () => {
  const posted: unknown[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      posted.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const events: unknown[] = [];
  const logged: unknown[] = [];
  const counted: string[] = [];
  const log = { debug: () => undefined, info: (...line: unknown[]) => logged.push(line), warn: () => undefined, error: () => undefined };
  const { announce } = announcer({
    metrics: { announced: (_, reason) => counted.push(reason) },
    recorder: loggedEvents(
      {
        record: async (involved, announcement) => {
          events.push([involved.metadata.name, announcement]);
          return 'taken';
        },
      },
      log,
    ),
    log,
    clock: handClock(1234),
    secret: async () => undefined,
    eventWebhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    callsOf: () => ({ turns: atOnce, egress: openEgress, ownEgress: openEgress }),
    timeCall: () => () => undefined,
    signal: new AbortController().signal,
  });
  const announcement: Announcement = { reason: 'WeightAdvanced', type: 'Normal', message: 'a step' };
  const canary = aCanary();
  announce({ ...canary, status: { phase: 'Progressing', failedChecks: 0, canaryWeight: 0, iterations: 0 } }, announcement);
  await eventually('the webhook is called', () => posted.length === 1);
  server.close();
  const { name, namespace } = canary.metadata;
  expect(events).toEqual([[name, announcement]]);
  expect(counted).toEqual(['WeightAdvanced']);
  expect(logged).toEqual([[{ canary: `${namespace}/${name}`, reason: 'WeightAdvanced' }, 'a step']]);
  expect(posted).toMatchObject([
    { name, namespace, phase: 'Progressing', metadata: { eventMessage: 'a step', eventType: 'Normal', timestamp: '1234' } },
  ]);
});
