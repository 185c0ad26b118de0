import { isRequired } from './kinds-of-loss.ts';
import type { SeenLoss } from './losses.ts';
import { type Outcome, play } from './play.ts';
import { arrivingIn, describeWorld, type World } from './world.ts';

/** Losses that break I17: required facts, and other facts whose loss Serin does not report with the name of the object. */
export const breaksIn = ({ losses }: Outcome): SeenLoss[] => losses.filter(({ kind, isNamed }) => isRequired(kind) || !isNamed);

/** The smallest world that breaks in the same way: parts are dropped one by one, then unusual settings. */
export async function shrink(
  world: World,
  isSame: (outcome: Outcome) => boolean,
  playing = (one: World): Promise<Outcome> => play(arrivingIn(one)),
): Promise<World> {
  let smallest = world;
  const keep = async (smaller: World): Promise<boolean> => {
    const isKept = isSame(await playing(smaller));
    if (isKept) smallest = smaller;
    return isKept;
  };
  for (let index = 0; index < smallest.parts.length; )
    if (!(await keep({ ...smallest, parts: smallest.parts.toSpliced(index, 1) }))) index += 1;
  const usual: readonly Partial<World>[] = [
    { killedAfterMs: undefined },
    { ending: 'success' },
    { apexName: undefined },
    { hasPortDiscovery: false },
    { targetPort: 8080 },
    { labels: 'app' },
    { provider: 'kubernetes' },
  ];
  for (const one of usual) await keep({ ...smallest, ...one });
  return smallest;
}

/** Report about a world that breaks, for a reader who does not know the tests. `undefined` if it does not break. */
export async function report(world: World): Promise<string | undefined> {
  const [first] = breaksIn(await play(arrivingIn(world)));
  if (first === undefined) return undefined;
  const isSame = (outcome: Outcome) => breaksIn(outcome).some(({ kind }) => kind === first.kind);
  const smallest = await shrink(world, isSame);
  const outcome = await play(arrivingIn(smallest));
  const lines = breaksIn(outcome).map(describeLoss);
  return [...lines, describeWorld(smallest), `Again: WORLD_SEED=${world.seed} npx vitest run test/application/arrival`].join('\n');
}

export function describeLoss({ kind, moment, what, before, now, objects }: SeenLoss): string {
  return `${kind}, ${moment}: ${what} was ${before}, is ${now}${objects.length > 0 ? ` (${objects.join(', ')})` : ''}`;
}
