import { expect, it, vi } from 'vitest';
import { aModelCanary, canaryRef, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { asideAnnotation } from '../../api/names.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

async function lives(before: (lab: ModelLab) => Promise<void>): Promise<ModelLab> {
  const lab = await labWithApp();
  lab.server.create(aModelCanary({ stepWeight: 10, maxWeight: 50 }));
  await before(lab);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  await lab.pass(20_000);
  return lab;
}

it.each([
  { when: 'begin together', before: async (lab: ModelLab) => [lab.start(), lab.start()] },
  {
    when: 'follow each other',
    before: async (lab: ModelLab) => {
      lab.start();
      await lab.passUntil(() => lab.phase() === 'Initialized', 120_000);
      lab.start();
    },
  },
])('I9: of two Serins without a lease that $when one stands aside, says who the other is, and writes nothing more', async ({ before }) => {
  const lab = await lives(async (one) => void (await before(one)));
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(60_000);
  const said = lab.logged.filter(({ reason }) => reason === 'ForeignController');
  expect(said).toEqual([
    expect.objectContaining({ canary: 'test/podinfo', msg: expect.stringMatching(/^another Serin, \w+, writes this status/) }),
  ]);
  expect(said[0]?.msg).toContain('run one, or all with --enable-leader-election and one lease');
  const { writer } = raw(lab.canary())?.status?.release ?? {};
  expect(said[0]?.msg).toContain(`another Serin, ${writer}, `);
  const before2 = lab.writesByController.map(({ length }) => length);
  lab.push('3');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  const wrote = lab.writesByController.map(({ length }, index) => length > (before2[index] ?? 0));
  expect(wrote.toSorted()).toEqual([false, true]);
  expect(lab.lost).toEqual([]);
});

it('I8: a controller that takes over from a killed one signs with its next record, and neither stands aside nor writes for it', async () => {
  const lab = await lives(async (one) => one.start());
  const first = raw(lab.canary())?.status?.release?.writer;
  lab.kill();
  lab.start();
  await lab.pass(20_000);
  expect(lab.writes).toEqual([]);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  expect(raw(lab.canary())?.status?.release?.writer).not.toBe(first);
  expect(lab.logged.filter(({ reason }) => reason === 'ForeignController')).toEqual([]);
});

it('I8: a Serin that stood aside goes on when the other one is gone: a rolling update without a lease strands no release', async () => {
  const alive = [true, true];
  const lab = await lives(async (one) => alive.forEach((_, index) => void one.start(() => alive[index] === true)));
  lab.push('2');
  const isAside = () => lab.logged.some(({ reason }) => reason === 'ForeignController');
  expect(await lab.passUntil(isAside, 60_000)).toBe(true);
  const before = lab.writesByController.map(({ length }) => length);
  await lab.pass(15_000);
  expect(lab.phase()).toBe('Progressing');
  const goesOn = lab.writesByController.findIndex(({ length }, index) => length > (before[index] ?? 0));
  alive[goesOn] = false;
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 900_000)).toBe(true);
  expect(lab.lost).toEqual([]);
});

it('I8: a release that is left to a controller without a name for itself has no timer left, and is not touched', async () => {
  const lab = await lives(async (one) => one.start());
  lab.push('2');
  expect(await lab.passUntil(() => raw(lab.canary())?.status.canaryWeight === 10, 120_000)).toBe(true);
  await lab.pass(2_000);
  expect(lab.clock.pending).toBeGreaterThan(0);
  lab.server.patch(canaryRef, { status: { canaryWeight: 77 } }, 'status');
  await lab.pass(2_000);
  expect(lab.logged.at(-1)).toMatchObject({
    reason: 'ForeignController',
    msg: expect.stringMatching(/^another controller writes this status/),
  });
  expect(lab.clock.pending).toBe(0);
  const before = lab.writes.length;
  lab.push('3');
  await lab.pass(120_000);
  expect([lab.writes.length, raw(lab.canary())?.status.canaryWeight]).toEqual([before, 77]);
});

it('DF825: a Canary that is left to another controller keeps a mark that its status writes do not take away, until Serin goes on', async () => {
  const lab = await lives(async (one) => one.start());
  const mark = () => raw(lab.canary())?.metadata.annotations?.[asideAnnotation];
  lab.server.patch(canaryRef, { status: { canaryWeight: 77 } }, 'status');
  await lab.pass(2_000);
  expect(mark()).toMatch(/^\d{4}-\d\d-\d\dT/);
  lab.server.patch(canaryRef, { status: { canaryWeight: 78, conditions: null } }, 'status');
  await lab.pass(2_000);
  expect(mark()).toMatch(/^\d{4}-/);
  lab.server.patch(canaryRef, { metadata: { annotations: { [asideAnnotation]: null } } });
  await lab.pass(2_000);
  expect(mark()).toMatch(/^\d{4}-/);
  lab.server.patch(canaryRef, { metadata: { annotations: { 'serin.dev/resume': '1' } } });
  expect(await lab.passUntil(() => mark() === undefined, 60_000)).toBe(true);
});
