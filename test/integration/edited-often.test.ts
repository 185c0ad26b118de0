import { afterEach, expect, it } from 'vitest';
import { PACE } from '../../src/controller/watch/work-turns.ts';
import { aModelCanary, canaryRef, ModelLab } from '../fakes/model/lab.ts';
import { drawer } from '../fakes/model/life.ts';
import { raw } from '../fakes/raw.ts';

const EDITS = 1000;

let lab: ModelLab;
afterEach(() => lab.close());

it('I15: 1,000 edits of one Canary in ten seconds lead to a bounded number of writes, and the last one counts', async () => {
  lab = new ModelLab({ draw: drawer(1), startUpMs: [1_000, 1_001], lagMs: [0, 1], latencyMs: [1, 2], scaleDownDelayMs: 1_000 });
  await lab.application();
  lab.server.create(aModelCanary({ stepWeight: 50, maxWeight: 50 }));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  const before = lab.writes.length;
  for (let edit = 1; edit <= EDITS; edit += 1) {
    // Refused, each with another message.
    lab.server.patch(canaryRef, { spec: { targetRef: { name: `other-${edit}` } } });
    await lab.pass(10);
  }
  await lab.pass(5_000);
  const statusWrites = lab.writes.slice(before).filter(({ ref, subresource }) => ref.kind === 'Canary' && subresource === 'status');
  expect(statusWrites.length).toBeLessThanOrEqual(PACE.burst + PACE.qps * 15);
  expect(JSON.stringify(raw(lab.canary())?.status?.conditions)).toContain(`other-${EDITS}`);
  expect(lab.logged.filter(({ msg }) => msg === 'reconcile failed')).toEqual([]);
});
