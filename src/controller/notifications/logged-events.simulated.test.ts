import { expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

it('every Event is a line of the log, with its reason, and what the Canary cannot be run for as well', async () => {
  const lab = await labWithApp();
  lab.server.create(aModelCanary({ stepWeight: 50, maxWeight: 50 }));
  await lab.pass(2_000);
  await initialize(
    lab,
    aModelCanary({ stepWeight: 50 }, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP } }, 'younger'),
  );
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(5_000);
  const events = lab.writes.flatMap(({ verb, ref, body }) => (verb === 'create' && ref.kind === 'Event' ? [body as Event] : []));
  const lines = lab.logged.map(({ canary, reason, msg }) => `${canary}: ${reason}: ${msg}`);
  expect(events.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['TargetTaken', 'WeightAdvanced', 'Succeeded']));
  for (const { involvedObject, reason, message } of events)
    expect(lines).toContain(`${involvedObject.namespace}/${involvedObject.name}: ${reason}: ${message}`);
});

interface Event {
  involvedObject: { namespace: string; name: string };
  reason: string;
  message: string;
}
