import { expect, it, vi } from 'vitest';
import type { SentWrite } from '../../test/fakes/model/client.ts';
import { aModelCanary, canaryRef, NAMESPACE, primaryRef } from '../../test/fakes/model/lab.ts';
import { labWithApp } from '../../test/fakes/model/life.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

it('I15: set-up, giving back and Events wait for releases; no other write of a release does', async () => {
  const lab = await labWithApp();
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }));
  lab.start();
  const until = async (isSo: () => boolean): Promise<SentWrite[]> => {
    const from = lab.writes.length;
    expect(await lab.passUntil(isSo, 300_000)).toBe(true);
    return lab.writes.slice(from).filter(({ ref }) => ref.kind !== 'ControllerRevision' && ref.kind !== 'Event');
  };
  const isEnd = ({ subresource, body }: SentWrite) => subresource === 'status' && JSON.stringify(body).includes('"phase":"Initialized"');
  const begun = await until(() => lab.phase() === 'Initialized');
  // The next scale to zero might have been sent already, and is not counted.
  const setUp = begun.slice(0, begun.findIndex(isEnd) + 1);
  await lab.pass(60_000);
  lab.push('2');
  const release = await until(() => lab.phase() === 'Succeeded');
  await lab.pass(60_000);
  lab.server.delete(canaryRef);
  const restored = await until(() => lab.server.find(primaryRef) === undefined);
  const kinds = (writes: SentWrite[]) => [...new Set(writes.map(({ ref }) => ref.kind))].sort();
  expect(kinds(setUp)).toEqual(['Canary', 'Deployment', 'DestinationRule', 'Service', 'VirtualService']);
  expect(kinds(release)).toEqual(['Canary', 'Deployment', 'VirtualService']);
  expect(kinds(restored)).toContain('VirtualService');
  const priorities = (writes: SentWrite[]) => new Set(writes.map(({ priority }) => priority));
  expect([priorities(setUp), priorities(release), priorities(restored)]).toEqual([
    new Set(['initialization']),
    new Set(['release']),
    new Set(['upkeep']),
  ]);
  expect(priorities(lab.writes.filter(({ ref }) => ref.kind === 'Event'))).toEqual(new Set(['upkeep']));
});

it('a rollback goes first: what moves traffic off the bad version, until the canary is scaled to zero', async () => {
  const lab = await labWithApp(6);
  const provider = { type: 'externalmetrics' };
  const metadata = { name: 'orders', namespace: NAMESPACE };
  lab.server.create({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'MetricTemplate',
    metadata,
    spec: { provider, query: `${NAMESPACE}/orders` },
  });
  const metrics = [{ name: 'orders', templateRef: { name: 'orders' }, thresholdRange: { min: 1 } }];
  lab.externalMetric = () => ({ value: 0, afterMs: 0 });
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50, threshold: 1, metrics }));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Failed', 300_000)).toBe(true);
  const failed = lab.writes.findIndex(
    ({ subresource, body }) => subresource === 'status' && JSON.stringify(body).includes('"phase":"Failed"'),
  );
  await lab.pass(60_000);
  const rollback = lab.writes.slice(failed).filter(({ ref }) => ref.kind !== 'ControllerRevision' && ref.kind !== 'Event');
  const priorities = rollback.map(({ ref, subresource, priority }) => `${ref.kind} ${subresource}: ${priority}`);
  expect(priorities[0]).toBe('Canary status: rollback');
  expect(priorities).toContain('VirtualService : rollback');
  expect(priorities).not.toContain('VirtualService : release');
});
