import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canary, dependencies, emptyServer, endMs, stopServer } from '../../test/fakes/measuring.ts';
import { ScrapedPods } from '../../test/fakes/scraped-pods.ts';
import type { Counts } from '../judge/window.ts';
import { compare } from './measure.ts';

const instances = ['c1', 'c2', 'p1', 'p2'] as const;
type Instance = (typeof instances)[number];
const workloadOf = (instance: Instance) => (instance.startsWith('c') ? 'podinfo' : 'podinfo-primary');
const codes = ['200', '404', '500', '503'];

type Step =
  | { does: 'answer'; instance: Instance; code: string; times: number }
  | { does: 'scrape'; lost: string[] }
  | { does: 'endWindow' }
  | { does: 'start' | 'remove'; instance: Instance }
  | { does: 'forget'; instance: Instance; code: string };

const anInstance = fc.constantFrom(...instances);
const aCode = fc.constantFrom(...codes);
const calm: fc.Arbitrary<Step>[] = [
  fc.record({ does: fc.constant('answer' as const), instance: anInstance, code: aCode, times: fc.integer({ min: 1, max: 200 }) }),
  fc.constant({ does: 'scrape', lost: [] }),
  fc.constant({ does: 'endWindow' }),
];
const interruptions: fc.Arbitrary<Step>[] = [
  fc.record({ does: fc.constantFrom('start' as const, 'remove' as const), instance: anInstance }),
  fc.record({ does: fc.constant('forget' as const), instance: anInstance, code: aCode }),
  fc.record({ does: fc.constant('scrape' as const), lost: fc.uniqueArray(anInstance, { minLength: 1, maxLength: 2 }) }),
  fc.record({ does: fc.constant('scrape' as const), lost: fc.tuple(anInstance, aCode).map((pair) => [pair.join(' ')]) }),
];

type Totals = Record<Instance, Counts>;
const nothing = (): Totals => {
  const none = () => ({ requests: 0, failures: 0 });
  return { c1: none(), c2: none(), p1: none(), p2: none() };
};

/** Plays the steps, a second each; returns the requests to each pod and the sum of its counts in all windows. */
async function play(steps: readonly Step[]): Promise<{ sent: Totals; counted: Totals }> {
  const pods = new ScrapedPods(await emptyServer());
  let nowMs = endMs - 600_000;
  for (const instance of instances) {
    pods.start(instance, workloadOf(instance));
    for (const code of codes) pods.answer(instance, code);
  }
  pods.scrape(nowMs);
  const [sent, counted] = [nothing(), nothing()];
  const running = new Set<Instance>(instances);
  let fromMs = nowMs;
  const endWindow = async () => {
    const [answer] = await compare(canary([]), [{ metric: 'errors', fromMs }], { ...dependencies(), nowMs });
    // If neither side has a series, the caller reads a longer window the next time.
    if (answer?.kind !== 'window') return;
    const { pods: ofPods, toMs } = answer.window;
    for (const { name, requests, failures } of [...(ofPods?.canary ?? []), ...(ofPods?.primary ?? [])]) {
      counted[name as Instance].requests += requests;
      counted[name as Instance].failures += failures;
    }
    fromMs = toMs;
  };
  for (const step of steps) {
    nowMs += 1_000;
    switch (step.does) {
      case 'scrape':
        pods.scrape(nowMs, step.lost);
        break;
      case 'endWindow':
        await endWindow();
        break;
      case 'forget':
        pods.forget(step.instance, step.code);
        break;
      case 'start':
        pods.start(step.instance, workloadOf(step.instance));
        running.add(step.instance);
        break;
      case 'remove':
        pods.remove(step.instance);
        running.delete(step.instance);
        break;
      case 'answer':
        if (!running.has(step.instance)) break;
        pods.answer(step.instance, step.code, step.times);
        sent[step.instance].requests += step.times;
        sent[step.instance].failures += step.code.startsWith('5') ? step.times : 0;
        break;
      default:
        step satisfies never;
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
    fc.asyncProperty(fc.array(fc.oneof(...calm), { maxLength: 60 }), async (steps) => {
      const { sent, counted } = await play(steps);
      expect(counted).toEqual(sent);
    }),
  );
});

it('20.3: for any events of pods and scrapes, windows never count more requests than were sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(...calm, ...calm, ...interruptions), { maxLength: 80 }), async (steps) => {
      const { sent, counted } = await play(steps);
      for (const instance of instances) {
        const successes = ({ requests, failures }: Counts) => requests - failures;
        expect(counted[instance].failures).toBeLessThanOrEqual(sent[instance].failures);
        expect(successes(counted[instance])).toBeLessThanOrEqual(successes(sent[instance]));
      }
    }),
  );
});
