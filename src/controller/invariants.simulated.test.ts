import fc from 'fast-check';
import { describe, expect, it as test } from 'vitest';
import { aDeployment, canaryRef, type ModelLab, primaryRef } from '../../test/fakes/model/lab.ts';
import { aLife, canaryOf, type Life, labOf, providers } from '../../test/fakes/model/life.ts';
import { BROKEN_IMAGE } from '../../test/fakes/model/nodes.ts';
import { propertyRuns, propertyTimeoutMs } from '../../test/fakes/property-runs.ts';
import { raw } from '../../test/fakes/raw.ts';

/** A life of the whole controller costs a hundred times one of the engine. */
const runs = () => propertyRuns(0.15, { quickShare: 0.1 });
const it = (title: string, property: () => Promise<void>) => test(title, { timeout: propertyTimeoutMs }, property);

/** Plays an application without Serin to its second version promoted, and back, with one kill at any moment. */
async function playRelease(life: Life, lagMs?: [number, number]): Promise<{ lab: ModelLab; ended: string[] }> {
  const { lab, draw } = labOf(life, lagMs);
  const ended: string[] = [];
  await lab.application(life.hasService);
  lab.server.create(canaryOf(life));
  lab.start();
  const killAtMs = lab.clock.monotonicMs() + draw(0, 120_000);
  const until = async (phase: string) => {
    const isOver = () => lab.phase() === phase && raw(lab.canary())?.status?.release.step === 'resting';
    await lab.passUntil(() => isOver() || lab.clock.monotonicMs() >= killAtMs, 600_000);
    if (!isOver() && lab.isUp) {
      lab.kill();
      await lab.pass(draw(0, 20_000));
      lab.start();
    }
    await lab.passUntil(isOver, 600_000);
    ended.push(lab.phase());
  };
  await until('Initialized');
  lab.push('2');
  await until('Succeeded');
  lab.server.delete(canaryRef);
  await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 300_000);
  await lab.pass(10_000);
  ended.push(lab.server.find(primaryRef) === undefined ? 'gone' : 'still there');
  lab.close();
  return { lab, ended };
}

describe('the controller in virtual time', () => {
  it('I10, I9: pods outlive their traffic and traffic waits for its pods, and no write of status or routes is blind', () =>
    fc.assert(
      fc.asyncProperty(aLife, async (life) => {
        const { lab, ended } = await playRelease(life);
        expect(lab.lost.slice(0, 3)).toEqual([]);
        expect(ended).toEqual(['Initialized', 'Succeeded', 'gone']);
        expect(lab.blindWrites).toEqual([]);
      }),
      runs(),
    ));

  it('I10: the same proxies do lose requests without a delay', async () => {
    const life = { seed: 11, provider: 'istio', delayMs: 0, plan: 0, hasService: true } as const;
    const { lab } = await playRelease(life, [0, 3_000]);
    expect(lab.lost.length).toBeGreaterThan(0);
  });

  it('I8: idle, suspended or refused Canaries have no timer, and a restart over them writes nothing', () =>
    fc.assert(
      fc.asyncProperty(aLife, fc.array(aRest, { minLength: 1, maxLength: 4 }), fc.boolean(), async (life, rests, isKilled) => {
        const { lab, draw } = labOf(life);
        for (const [index, { how, provider, plan }] of rests.entries()) {
          const name = `app-${index}`;
          lab.server.create(aDeployment('1', name));
          lab.server.create(canaryOf({ ...life, provider, plan }, how === 'refused' ? { provider: 'nginx' } : {}, name));
        }
        lab.watchLagMs = (kind) => (kind === 'Deployment' ? draw(0, 4_000) : 0);
        lab.start();
        await lab.pass(60_000);
        for (const [index, { how }] of rests.entries()) await bring(lab, `app-${index}`, how);
        await lab.pass(300_000);
        const phases = rests.map((_, index) => lab.phase(`app-${index}`));
        expect(lab.clock.pending).toBe(0);
        if (isKilled) lab.kill();
        else await lab.stop();
        await lab.pass(draw(0, 100_000));
        const before = lab.server.api.store.version;
        lab.start();
        await lab.pass(200_000);
        expect([lab.writes, lab.server.api.store.version - before]).toEqual([[], 0]);
        expect(phases).toEqual(rests.map(({ how }) => (how === 'refused' ? 'Initializing' : how === 'suspended' ? 'Progressing' : how)));
        lab.close();
      }),
      runs(),
    ));
});

type Rest = 'Initialized' | 'Succeeded' | 'Failed' | 'suspended' | 'refused';
const aRest = fc.record({
  how: fc.constantFrom<Rest>('Initialized', 'Succeeded', 'Failed', 'suspended', 'refused'),
  provider: fc.constantFrom(...providers),
  plan: fc.nat(),
});

/** Brings a bootstrapped Canary until it is idle. */
async function bring(lab: ModelLab, name: string, how: Rest): Promise<void> {
  if (how === 'Initialized' || how === 'refused') return;
  lab.push(how === 'Failed' ? BROKEN_IMAGE : '2', name);
  if (how !== 'suspended') return;
  await lab.passUntil(() => lab.phase(name) === 'Progressing', 60_000);
  await lab.pass(5_000);
  lab.server.patch({ ...canaryRef, name }, { spec: { suspend: true } });
}
