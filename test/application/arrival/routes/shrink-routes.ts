import { type Outcome, play } from '../play.ts';
import { breaksIn, describeLoss } from '../shrink.ts';
import { arrivingByRoutes } from './routed-objects.ts';
import { describeRoutedWorld, type Edit, type Route, type RoutedWorld, type Write } from './routed-world.ts';

export const playRouted = (world: RoutedWorld): Promise<Outcome> => play(arrivingByRoutes(world));

/** The smallest world that breaks in the same way: writes are dropped first, then routes, rules, and unusual settings. */
async function shrunk(world: RoutedWorld, isSame: (outcome: Outcome) => boolean): Promise<RoutedWorld> {
  let smallest = world;
  const keep = async (smaller: RoutedWorld): Promise<boolean> => {
    const isKept = isSame(await playRouted(smaller));
    if (isKept) smallest = smaller;
    return isKept;
  };
  for (let index = 0; index < smallest.writes.length; )
    if (!(await keep({ ...smallest, writes: smallest.writes.toSpliced(index, 1) }))) index += 1;
  for (const index of smallest.writes.keys()) {
    const { againAfterMs: _, ...once } = smallest.writes[index] as Write;
    await keep({ ...smallest, writes: smallest.writes.with(index, once) });
  }
  const isWritten = (route: number): boolean => smallest.writes.some(({ what }) => what.is === 'route' && what.index >= route);
  for (let index = smallest.routes.length - 1; index > 0; index -= 1)
    if (!isWritten(index)) await keep({ ...smallest, routes: smallest.routes.toSpliced(index, 1) });
  for (const index of smallest.routes.keys())
    for (let rule = 0; (smallest.routes[index]?.rules.length ?? 0) > 1 && rule < (smallest.routes[index]?.rules.length ?? 0); ) {
      const route = smallest.routes[index] as Route;
      const routes = smallest.routes.with(index, { ...route, rules: route.rules.toSpliced(rule, 1) });
      if (!(await keep({ ...smallest, routes }))) rule += 1;
    }
  const plain = {
    ...smallest,
    routes: smallest.routes.map((route) => ({
      ...route,
      rules: route.rules.map((one) => ({ ...one, terms: 'none' as const, isNamed: false })),
    })),
  };
  await keep(plain);
  const { second: _, ...single } = smallest;
  await keep(single);
  const { edit: _edit, ...unedited } = smallest;
  await keep(unedited);
  const { port: _port, ...ofSamePort } = smallest.edit ?? {};
  if (smallest.edit) await keep({ ...smallest, edit: ofSamePort as Edit });
  const { backAfterMs: _back, ...ofUsualPause } = smallest;
  await keep(ofUsualPause);
  const usual: readonly Partial<RoutedWorld>[] = [
    { killedAfterMs: undefined },
    { ending: 'success' },
    { hasSecondPort: false },
    { cohort: 'all' },
  ];
  for (const one of usual) await keep({ ...smallest, ...one });
  return smallest;
}

/** Report about a world that breaks, for a reader who does not know the tests. `undefined` if it does not break. */
export async function reportRouted(world: RoutedWorld, outcome?: Outcome): Promise<string | undefined> {
  const [first] = breaksIn(outcome ?? (await playRouted(world)));
  if (first === undefined) return undefined;
  const kindOf = (what: string): string => what.replace(/ .*/s, '');
  const smallest = await shrunk(world, (one) =>
    breaksIn(one).some(({ kind, what }) => kind === first.kind && kindOf(what) === kindOf(first.what)),
  );
  const lines = breaksIn(await playRouted(smallest)).map(describeLoss);
  return [...lines, describeRoutedWorld(smallest), `Again: WORLD_SEED=${world.seed} npx vitest run test/application/arrival/routes`].join(
    '\n',
  );
}
