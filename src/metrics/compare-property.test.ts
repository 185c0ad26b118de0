import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canary, dependencies, emptyServer, endMs, stopServer } from '../../test/fakes/measuring.ts';
import { ScrapedPods } from '../../test/fakes/scraped-pods.ts';
import type { Counts } from '../judge/window.ts';
import { compare } from './compare.ts';

const instances = ['c1', 'c2', 'p1', 'p2'] as const;
type Instance = (typeof instances)[number];
const workloadOf = (instance: Instance) => (instance.startsWith('c') ? 'podinfo' : 'podinfo-primary');
const sideOf = (instance: Instance) => (instance.startsWith('c') ? 'canary' : 'primary');

const anInstance = fc.constantFrom(...instances);
const answers = fc.record({
  does: fc.constant('answer' as const),
  instance: anInstance,
  code: fc.constantFrom('200', '404', '500', '503'),
  times: fc.integer({ min: 1, max: 50 }),
});
const scrapes = fc.record({ does: fc.constant('scrape' as const), lost: fc.constant<Instance[]>([]) });
const windowEnds = fc.record({ does: fc.constant('endWindow' as const) });
const interruptions = fc.oneof(
  fc.record({ does: fc.constantFrom('start' as const, 'remove' as const), instance: anInstance }),
  fc.record({ does: fc.constant('forget' as const), instance: anInstance, code: fc.constantFrom('200', '404', '500') }),
  fc.record({ does: fc.constant('scrape' as const), lost: fc.uniqueArray(anInstance, { minLength: 1, maxLength: 3 }) }),
);
type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Step = Drawn<typeof answers | typeof scrapes | typeof windowEnds | typeof interruptions>;

type Totals = Record<'canary' | 'primary', Counts>;
const nothing = (): Totals => ({ canary: { requests: 0, failures: 0 }, primary: { requests: 0, failures: 0 } });

/** Plays the steps, a second each; gives what was sent and what the windows have counted in sum. */
async function play(steps: readonly Step[]): Promise<{ sent: Totals; counted: Totals }> {
  const pods = new ScrapedPods(await emptyServer());
  let nowMs = endMs - 600_000;
  for (const instance of instances) {
    pods.start(instance, workloadOf(instance));
    for (const code of ['200', '404', '500', '503']) pods.answer(instance, code, 100);
  }
  pods.scrape(nowMs);
  const [sent, counted] = [nothing(), nothing()];
  const running = new Set<Instance>(instances);
  let fromMs = nowMs;
  const endWindow = async () => {
    const [answer] = await compare(canary([]), [{ metric: 'errors', fromMs }], { ...dependencies(), nowMs });
    // Where neither side has a series, the caller asks for a longer window the next time.
    if (answer?.kind !== 'window') return;
    for (const side of ['canary', 'primary'] as const) {
      counted[side].requests += answer.window[side].requests;
      counted[side].failures += answer.window[side].failures;
    }
    fromMs = answer.window.toMs;
  };
  for (const step of steps) {
    nowMs += 1_000;
    if (step.does === 'scrape') pods.scrape(nowMs, step.lost);
    else if (step.does === 'endWindow') await endWindow();
    else if (step.does === 'start') {
      pods.start(step.instance, workloadOf(step.instance));
      running.add(step.instance);
    } else if (step.does === 'remove') {
      pods.remove(step.instance);
      running.delete(step.instance);
    } else if (step.does === 'forget') pods.forget(step.instance, step.code);
    else if (running.has(step.instance)) {
      pods.answer(step.instance, step.code, step.times);
      const total = sent[sideOf(step.instance)];
      total.requests += step.times;
      total.failures += step.code.startsWith('5') ? step.times : 0;
    }
  }
  nowMs += 1_000;
  pods.scrape(nowMs);
  await endWindow();
  await stopServer();
  return { sent, counted };
}

it('20.3: without interruptions windows count every request once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(answers, scrapes, windowEnds), { maxLength: 60 }), async (steps) => {
      const { sent, counted } = await play(steps);
      expect(counted).toEqual(sent);
    }),
  );
});

it('20.3: whatever happens to pods and scrapes, windows never count more than was sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(answers, answers, scrapes, windowEnds, interruptions), { maxLength: 80 }), async (steps) => {
      const { sent, counted } = await play(steps);
      for (const side of ['canary', 'primary'] as const) {
        const successes = ({ requests, failures }: Counts) => requests - failures;
        expect(counted[side].failures).toBeLessThanOrEqual(sent[side].failures);
        expect(successes(counted[side])).toBeLessThanOrEqual(successes(sent[side]));
      }
    }),
  );
});
