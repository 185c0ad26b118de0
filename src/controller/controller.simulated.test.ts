import { expect, it, vi } from 'vitest';
import { type HandClock, handClock } from '../../test/fakes/clock.ts';
import { ModelClient } from '../../test/fakes/model/client.ts';
import { calm } from '../../test/fakes/model/lab.ts';
import { ModelServer } from '../../test/fakes/model/server.ts';
import { ControllerConfig } from './config.ts';
import { startController } from './controller.ts';
import type { ControllerOptions } from './controller-options.ts';
import { sharedParts } from './make-deps.ts';
import { createControllerMetrics } from './telemetry/controller-metrics.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Time goes on until this has come. */
async function passes(coming: Promise<void>, clock: HandClock, server: ModelServer): Promise<void> {
  let hasCome = false;
  void coming.then(() => {
    hasCome = true;
  });
  for (let ms = 0; ms < 60_000 && !hasCome; ms += 100) {
    await calm(server);
    clock.advance(100);
  }
  expect(hasCome).toBe(true);
}

/** A controller over an empty cluster. */
async function started(changes: (options: ControllerOptions) => Partial<ControllerOptions>) {
  const clock = handClock();
  const server = new ModelServer(clock);
  const cluster = new ModelClient(server, { clock, latencyMs: () => 0 });
  const metrics = createControllerMetrics('test');
  const leads = vi.spyOn(metrics, 'leads');
  const plain: ControllerOptions = { config: ControllerConfig.parse({}), cluster, clock, random: () => 0.5, log: silent, metrics };
  const controller = startController({ ...plain, ...changes(plain) });
  await passes(controller.started, clock, server);
  const [shown] = leads.mock.calls[0] ?? [];
  return { controller, clock, cluster, server, kinds: shown?.watches().map(({ kind }) => kind), calls: shown?.calls() };
}

it.each([
  { what: 'with a lease', changes: { mayWrite: () => true }, waits: true },
  { what: 'without a lease', changes: {}, waits: false },
])('I9: a controller $what waits at its end for what it has sent: $waits', async ({ changes, waits }) => {
  const { controller, clock, cluster, server } = await started(() => changes);
  const sent = Promise.withResolvers<void>();
  const settled = vi.spyOn(cluster, 'settled').mockReturnValue(sent.promise);
  let isStopped = false;
  const stopped = controller.stop().then(() => {
    isStopped = true;
  });
  for (let turn = 0; turn < 10; turn += 1) {
    await calm(server);
    clock.advance(100);
  }
  expect([settled.mock.calls.length, isStopped]).toEqual(waits ? [1, false] : [0, true]);
  sent.resolve();
  await stopped;
  server.stop();
});

it('a single controller shows watches and calls of its process; where several share them, none of them does', async () => {
  const alone = await started(() => ({}));
  expect(alone.kinds).toEqual(expect.arrayContaining(['flagger.app/v1beta1/Canary']));
  expect(alone.calls).not.toEqual([]);
  const one = await started((options) => ({ shared: sharedParts(options) }));
  expect([one.kinds, one.calls]).toEqual([[], []]);
  for (const { controller, clock, server } of [alone, one]) {
    await passes(controller.stop(), clock, server);
    server.stop();
  }
});
