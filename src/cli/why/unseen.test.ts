import { expect, it } from 'vitest';
import { pushed, snapshotIn, verdict } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized, World } from '../../../test/fakes/world.ts';
import { whyOf } from '../../reading/why/diagnose.ts';

const MINUTE = 60_000;
const hooks = (timeout: string, retries = 0) => ({
  stepWeight: 20,
  webhooks: [{ name: 'smoke', type: 'rollout' as const, url: 'http://tester/', timeout, retries }],
});
const analysing = (analysis: Parameters<typeof aCanary>[0] = { stepWeight: 20 }) => pushed(initialized(aCanary(analysis)));
const causesAt = (world: World, lateMs: number) => {
  const snapshot = snapshotIn({ world });
  const why = whyOf({ ...snapshot, atMs: (world.canary.status?.release?.wakeAtMs ?? 0) + lateMs });
  return [why.diagnosis, ...why.also];
};

it('names the controller when the next check is long over', () => {
  const [main, ...also] = causesAt(analysing(), 3 * MINUTE);
  expect(main).toMatchObject({
    cause: 'Unseen',
    action: expect.stringContaining('start the controller'),
    proof: [{ kind: 'Canary', field: 'status.release.dueMs', value: expect.stringMatching(/^due at \d{4}-.*, and it is \d{4}-/) }],
  });
  expect(also).toEqual([]);
});

it('names beside it what the release waits for that does not end by itself', () => {
  const world = initialized(aCanary({ stepWeight: 20 }));
  world.behaviour.brokenCanary.add('s1:b');
  pushed(world, ({ step }) => step === 'scalingUp');
  const snapshot = snapshotIn({ world, target: { spec: { replicas: 1, paused: true } } });
  const { diagnosis, also } = whyOf({ ...snapshot, atMs: world.nowMs + 60 * MINUTE });
  expect([diagnosis, ...also].map(({ cause }) => cause)).toEqual(['Unseen', 'RolloutPaused']);
});

it.each([
  { what: 'a check that is a minute late', world: analysing(), lateMs: MINUTE },
  { what: 'hooks that may take so long', world: analysing(hooks('3m')), lateMs: 4 * MINUTE },
  { what: 'hooks that may try so often', world: analysing(hooks('1m', 4)), lateMs: 8 * MINUTE },
])('does not name it for $what', ({ world, lateMs }) => {
  expect(causesAt(world, lateMs).map(({ cause }) => cause)).toEqual(['Running']);
});

it('does not name it when what is late was only expected', () => {
  const world = new World(aCanary({ stepWeight: 20 }));
  world.behaviour.brokenPrimary.add('s1:a');
  world.begin();
  world.tick(1);
  const { diagnosis } = whyOf({ ...snapshotIn({ world }), atMs: world.nowMs + 600 * MINUTE });
  expect(diagnosis.sentence).toMatch(/expected by \d{4}-/);
  expect(diagnosis.cause).toBe('PodsNotReady');
});

it('counts the longest time of the hooks, and no more', () => {
  expect(causesAt(analysing(hooks('3m')), 6 * MINUTE)[0]?.cause).toBe('Unseen');
});

const failedAtOnce = () => {
  const world = initialized(aCanary({ stepWeight: 20, threshold: 1 }));
  world.behaviour.verdicts = [verdict({ value: 3 })];
  return pushed(world, ({ phase, step }) => phase === 'Failed' && step === 'resting');
};

it.each([
  { where: 'while idle', world: initialized(aCanary({ stepWeight: 20 })), cause: 'Resting' },
  { where: 'after a failure', world: failedAtOnce(), cause: 'Failed' },
])('names it $where when the target has changed since a controller saw it, and not when it has been seen', ({ world, cause }) => {
  expect(whyOf(snapshotIn({ world })).diagnosis.cause).toBe(cause);
  const { target } = snapshotIn({ world });
  const metadata = { ...target?.metadata, generation: (target?.metadata.generation ?? 0) + 1 };
  const { diagnosis, waits } = whyOf(snapshotIn({ world, target: { metadata } }));
  expect(diagnosis).toMatchObject({ cause: 'Unseen', proof: [{ kind: 'Deployment', field: 'metadata.generation' }, { kind: 'Canary' }] });
  expect(waits).toBe(true);
});

it('does not name it for a target that was deleted and created again unchanged', () => {
  const world = initialized(aCanary({ stepWeight: 20 }));
  const before = snapshotIn({ world });
  const snapshot = snapshotIn({ world, target: { metadata: { ...before.target?.metadata, uid: 'another', generation: 1 } } });
  const { canary, workload, target } = snapshot;
  const release = canary?.status?.release;
  if (!canary?.status || !release || !workload || !target) throw new Error('the world has them');
  expect(whyOf(snapshot).diagnosis.cause).toBe('Unseen');
  const status = { ...canary.status, release: { ...release, template: workload.revision(target) } };
  expect(whyOf({ ...snapshot, canary: { ...canary, status } }).diagnosis.cause).toBe('Resting');
});
