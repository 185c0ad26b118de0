import { expect, it } from 'vitest';
import { counting, releasing, type Traffic } from '../../../test/fakes/compared-release.ts';
import { describeEach, type Stall, snapshotIn } from '../../../test/fakes/stalled-release.ts';
import type { World } from '../../../test/fakes/world.ts';
import { whyOf } from '../../reading/why/diagnose.ts';

const gate = { mode: 'gate', pace: 'evidence' } as const;

function waiting(traffic: Traffic, prepare: (world: World) => void = () => undefined): World {
  const world = releasing(gate, traffic);
  world.tickUntil(({ release }) => release.awaitedEvidence !== undefined);
  prepare(world);
  for (let tick = 0; tick < 5; tick += 1) world.tick();
  return world;
}

const stalls: readonly Stall[] = [
  {
    title: 'a canary that is not shown to be fine yet',
    arrange: () => ({ world: waiting({ canary: 0.001, primary: 0.001, perSecond: 1000 }) }),
    cause: 'InsufficientEvidence',
    proof: ['Canary', 'status.release.reason'],
    action: /^nothing to do: it goes on by itself$/,
    mend: ({ world }) => world.tickUntil(({ canary }) => canary.status?.canaryWeight === 20, 2000),
  },
  {
    title: 'a canary whose traffic never decides',
    arrange: () => ({ world: waiting({ canary: 0.001, primary: 0.001, perSecond: 5 }) }),
    cause: 'InsufficientEvidence',
    proof: ['Canary', 'status.release.reason'],
    action: /^send more requests: at this traffic no weight decides within maxStepDuration$/,
    mend: ({ world }) => world.tickUntil(({ canary }) => canary.status?.canaryWeight === 20, 2000),
  },
  {
    title: 'a canary with too little traffic',
    arrange: () => ({ world: waiting({ canary: 0.001, primary: 0.001, perSecond: 500 }) }),
    cause: 'InsufficientEvidence',
    proof: ['Canary', 'status.release.reason'],
    action: /^wait, or let the canary have (20|25|30|40|50)% of the traffic at this step: that takes about \d+ (minutes|hours)$/,
    way: 'set Canary podinfo spec.analysis.stepWeights',
    mend: ({ world }) => world.tickUntil(({ canary }) => canary.status?.canaryWeight === 20, 2000),
  },
  {
    title: 'counts that cannot be read',
    arrange: () => ({
      world: waiting({ canary: 0, primary: 0, perSecond: 10 }, ({ behaviour }) => {
        behaviour.compare = () => ({ kind: 'unknown', reason: 'Prometheus answered 503' });
      }),
    }),
    cause: 'InsufficientEvidence',
    proof: ['Canary', 'status.release.reason'],
    action: /^restore the counts of errors: Prometheus answered 503$/,
    mend({ world }) {
      counting(world, { canary: 0, primary: 0, perSecond: 10_000 });
      world.tickUntil(({ canary }) => canary.status?.canaryWeight === 20, 2000);
    },
  },
];

describeEach('a release that waits for evidence', stalls);

it('serin why says until when a release waits for evidence, and where to look', () => {
  const { diagnosis, waits } = whyOf(snapshotIn({ world: waiting({ canary: 0.001, primary: 0.001, perSecond: 100 }) }));
  const until = diagnosis.proof.find(({ field }) => field === 'status.release.blockers[InsufficientEvidence].until')?.value;
  expect(until).toMatch(/^1970-01-01T0\d:/);
  expect(diagnosis.sentence).toContain(`goes on without that at ${until}`);
  expect(diagnosis.look).toBe('serin status podinfo -n test -o wide');
  expect(waits).toBe(true);
});
