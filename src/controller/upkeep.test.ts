import { expect, it, vi } from 'vitest';
import type { SentWrite } from '../../test/fakes/model/client.ts';
import { aModelCanary, canaryRef, primaryRef } from '../../test/fakes/model/lab.ts';
import { labOf } from '../../test/fakes/model/life.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

it('I15: set-up and giving back are upkeep, which waits for releases; no write of a release is', async () => {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application();
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }));
  lab.start();
  const until = async (isSo: () => boolean): Promise<SentWrite[]> => {
    const from = lab.writes.length;
    expect(await lab.passUntil(isSo, 300_000)).toBe(true);
    return lab.writes.slice(from).filter(({ ref }) => ref.kind !== 'ControllerRevision' && ref.kind !== 'Event');
  };
  const setUp = await until(() => lab.phase() === 'Initialized');
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
  const ofUpkeep = (writes: SentWrite[]) => new Set(writes.map(({ isUpkeep }) => isUpkeep));
  expect([ofUpkeep(setUp), ofUpkeep(release), ofUpkeep(restored)]).toEqual([new Set([true]), new Set([false]), new Set([true])]);
  lab.close();
});
