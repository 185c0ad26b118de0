import { type Break, Invariants } from './invariants.ts';
import { describeAction, describeLife, type Life, type Moment, type Timed } from './life.ts';
import type { ApplicationWorld, WorldMaker } from './world.ts';

export interface Played {
  breaks: readonly Break[];
  done: number;
  lastedMs: number;
  /** Actions, and changes of the Canaries: in real time, no second run is the same. */
  history: readonly string[];
}

/** One life, until its first break. */
export async function play(life: Life, make: WorldMaker): Promise<Played> {
  const world = await make(life);
  const { askMs, mostAwaitedMs, startsWithinMs, tailMs, mostTailMs } = world.pace;
  const invariants = new Invariants(world);
  const history: string[] = [];
  const say = (what: string): void => void history.push(`${(world.nowMs() / 1000).toFixed(1)} s: ${what}`);
  let seen = '';
  const look = (): void => {
    for (const news of world.news()) say(news);
    const now = world.canaries().map(({ name, phase, step, run }) => `${name} ${phase} ${step} ${run}`);
    if (now.join() !== seen) say(now.join(', ') || 'no Canary');
    seen = now.join();
  };
  let done = 0;
  const pass = async (ms: number, isOver: () => boolean = () => false) => {
    for (const untilMs = world.nowMs() + ms; world.nowMs() < untilMs && !isOver() && invariants.breaks.length === 0; ) {
      await world.pass(Math.min(askMs, untilMs - world.nowMs()));
      invariants.look();
      look();
    }
  };
  try {
    await pass(mostAwaitedMs, () => world.canaries().some(({ phase }) => phase === 'Initialized') || life.actions[0]?.at !== 'resting');
    for (const { at, afterMs, action } of life.actions) {
      if (at === 'resting') await pass(startsWithinMs);
      if (at !== 'now') await pass(mostAwaitedMs, () => isAt(world, at));
      await pass(afterMs);
      if (invariants.breaks.length > 0) break;
      const before = world.canaries();
      const acted = await world.act(action, async (ms) => {
        for (const untilMs = world.nowMs() + ms; world.nowMs() < untilMs; ) {
          await world.pass(Math.min(askMs, untilMs - world.nowMs()));
          invariants.follow();
          look();
        }
      });
      say(`${describeAction(action)}${acted === undefined ? ': there was nothing to do it to' : ''}`);
      if (acted === undefined) continue;
      done += 1;
      // The time that it took is none of what others have to put it right.
      invariants.follow();
      invariants.acted(action, acted, before);
    }
    await pass(tailMs);
    await pass(mostTailMs - tailMs, () => isAt(world, 'resting'));
    return { breaks: invariants.breaks, done, lastedMs: world.nowMs(), history };
  } finally {
    await world.close();
  }
}

function isAt(world: ApplicationWorld, at: Moment): boolean {
  const canaries = world.canaries();
  return canaries.length === 0 || canaries.some(({ step }) => step === at);
}

/** The fewest actions that break it in the same way: drops halves first, then single actions. */
export async function shrink(life: Life, isSame: (one: Break) => boolean, make: WorldMaker): Promise<Life> {
  let smallest = life;
  for (let size = Math.ceil(life.actions.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < smallest.actions.length; ) {
      const actions: Timed[] = smallest.actions.toSpliced(from, size);
      const { breaks } = await play({ ...smallest, actions }, make);
      if (breaks.some(isSame)) smallest = { ...smallest, actions };
      else from += size;
    }
  }
  return smallest;
}

/** Report for a reader who does not know the tests: the life in words, and the break. */
export async function report(life: Life, make: WorldMaker): Promise<string | undefined> {
  const { breaks } = await play(life, make);
  const [first] = breaks;
  if (first === undefined) return undefined;
  const smallest = await shrink(life, (one) => one.invariant === first.invariant, make);
  const [shown = first] = (await play(smallest, make)).breaks;
  const replay = `LIFE_SEED=${life.seed} npx vitest run test/application`;
  return `${shown.invariant} at ${shown.atMs / 1000} s: ${shown.text}\n${describeLife(smallest)}\nAgain: ${replay}`;
}
