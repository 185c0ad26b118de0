/** Distribution of the failures of a cell, beyond their mean rate. */
export const KINDS = {
  independent: 'each request fails by itself',
  retries: 'failures come in clusters of 3 on average, up to dozens',
  bursts: 'the rate of each side is drawn again each minute, with a standard deviation of half its mean',
  users: 'a user whose requests fail sends 4 a minute for 5 minutes on average, all to one side',
  drift: 'the rate of both sides swings by 80% within 90 minutes',
  outage: 'a dependency fails: 20 times the rate on both sides for 5 minutes',
  pods: 'pods differ: 2 of the canary and 10 of the primary, with rates whose standard deviation is 30% of the mean',
  scrapes: 'one window in ten is lost, and counts are extrapolated by up to a third',
} as const;

/** Failures that last for seconds, so that only short windows can tell them from a bad version. */
export const SHORT_KINDS = {
  clients: 'a client whose requests fail tries again each second for 20 s on average, all to one side',
} as const;

/** Failures that no statistics of counts can tell from a bad version. They are played to show what the judge does then. */
export const BREAKING = {
  podsUnseen: 'pods differ as above, and the provider cannot tell them apart',
  usersUnlearned: 'users as above, and nothing is known of the time before the release',
  lateUsers: 'users as above who begin to fail only after they came to the canary, so that its failures lag behind its traffic',
  loyalUser: 'one user whose requests always fail sends 5 a minute to the canary for the whole release',
} as const;
export type Kind = keyof typeof KINDS | keyof typeof SHORT_KINDS | keyof typeof BREAKING;

/** Traffic to the canary over time. */
export const STRATEGIES = {
  linear: 'canary, 5% more each minute up to 50%',
  bigSteps: 'canary, 20% for 5 minutes, then 50%',
  ab: 'A/B test, 10% of the users',
  blueGreen: 'Blue/Green, a load test of 10 requests a second at the canary, or of what the primary gets where that is less',
  mirror: 'mirror, each request goes to both',
} as const;
export type Strategy = keyof typeof STRATEGIES;
export const strategies = ['linear', 'bigSteps', 'ab', 'blueGreen', 'mirror'] as const satisfies readonly Strategy[];

/** One combination, played many times. */
export interface Cell {
  rps: number;
  /** The primary's rate of failures, 0–1. */
  base: number;
  /** The canary's rate by the primary's. */
  effect: number;
  kind: Kind;
  strategy: Strategy;
  releases: number;
  /** Length of the windows; a minute when it is not given. Shorter ones go on until both sides have new requests. */
  windowSeconds?: number;
  /** Time between two scrapes of a side, a multiple of `windowSeconds`; each window when it is not given. */
  scrapeSeconds?: number;
}

export const TRAFFIC = [0.05, 1, 10, 100, 1000, 10_000];
const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
/** The tolerated ratio of the study, which is also the worst canary that must not be rolled back. */
export const TOLERATED = 1.5;

/** Canaries that are no worse than tolerated: as good as the primary, or at the very bound. The strategies take turns. */
export function nullCells(releases: number): Cell[] {
  const cells: Cell[] = [];
  for (const kind of kinds)
    for (const base of [0, 0.0005, 0.005, 0.05])
      for (const effect of base === 0 ? [1] : [1, TOLERATED])
        for (const rps of TRAFFIC) {
          const strategy = strategies[cells.length % strategies.length] ?? 'linear';
          cells.push({ rps, base, effect, kind, strategy, releases });
        }
  return cells;
}

/** The same with failures that break the judge. */
export function breakingCells(releases: number): Cell[] {
  const cells: Cell[] = [];
  for (const kind of Object.keys(BREAKING) as (keyof typeof BREAKING)[])
    for (const base of [0.0005, 0.005])
      for (const effect of [1, TOLERATED])
        for (const rps of TRAFFIC)
          cells.push({ rps, base, effect, kind, strategy: strategies[cells.length % strategies.length] ?? 'linear', releases });
  return cells;
}

/** Canaries that are as good as the primary, each strategy with each traffic: how long a promotion takes. */
export function goodCells(releases: number): Cell[] {
  const cells: Cell[] = [];
  for (const kind of ['independent', 'users', 'bursts'] as const)
    for (const strategy of strategies)
      for (const base of [0, 0.0005, 0.005, 0.05])
        for (const rps of TRAFFIC) cells.push({ rps, base, effect: 1, kind, strategy, releases });
  return cells;
}

/** Canaries that are worse, from the very bound on. */
export function powerCells(releases: number): Cell[] {
  const cells: Cell[] = [];
  for (const kind of ['independent', 'users', 'bursts'] as const)
    for (const strategy of strategies)
      for (const base of [0.0005, 0.005])
        for (const effect of [TOLERATED, 2, 3, 10, 100])
          for (const rps of TRAFFIC) cells.push({ rps, base, effect, kind, strategy, releases });
  return cells;
}

/** Canaries that are worse, with a delay. */
export function lateCells(releases: number): Cell[] {
  return [TOLERATED, 2, 3, 10].flatMap((effect) =>
    [100, 1000, 10_000].flatMap((rps) =>
      (['linear', 'ab'] as const).map((strategy): Cell => ({ rps, base: 0.005, effect, kind: 'lateUsers', strategy, releases })),
    ),
  );
}

/** Lengths of short windows: the pause between two readings, or between two scrapes if scrapes are rarer. */
export const PACES = {
  '5 s': { windowSeconds: 5 },
  '15 s': { windowSeconds: 15 },
  '5 s, scraped each 15 s': { windowSeconds: 5, scrapeSeconds: 15 },
} as const;
export const paceOf = ({ windowSeconds, scrapeSeconds }: Cell): string =>
  scrapeSeconds === undefined ? `${windowSeconds} s` : `${windowSeconds} s, scraped each ${scrapeSeconds} s`;

/** A cell whose windows are shorter than a minute. */
export type ShortCell = Cell & { windowSeconds: number };

/** Canaries at the very bound in short windows: the hardest cells, and more of the hardest kind. */
export function shortNullCells(releases: number): ShortCell[] {
  const cells: ShortCell[] = [];
  const traffic = [10, 100, 1000];
  for (const pace of Object.values(PACES))
    for (const kind of [...kinds, 'clients'] as const)
      for (const base of [0.0005, 0.005])
        for (const rps of traffic) {
          const all = kind === 'users' && pace === PACES['5 s'];
          for (const strategy of all ? strategies : [strategies[cells.length % strategies.length] ?? 'linear'])
            cells.push({ rps, base, effect: TOLERATED, kind, strategy, releases, ...pace });
        }
  return cells;
}

/** Rate at which every request fails. */
const ALL_FAIL = 1;

/** Disasters in short windows, the last of which fails all requests. */
export function shortBadCells(releases: number): ShortCell[] {
  const cells: ShortCell[] = [];
  for (const pace of Object.values(PACES))
    for (const kind of ['independent', 'users'] as const)
      for (const base of [0.0005, 0.005])
        for (const effect of [10, 100, ALL_FAIL / base])
          for (const rps of [1, 10, 100, 1000, 10_000]) cells.push({ rps, base, effect, kind, strategy: 'linear', releases, ...pace });
  return cells;
}

export const cellName = ({ rps, base, effect, kind, strategy, windowSeconds, scrapeSeconds }: Cell): string =>
  [
    `${kind}, ${rps} rps, ${base * 100}%, ×${effect}, ${strategy}`,
    ...(windowSeconds === undefined ? [] : [`windows of ${windowSeconds} s`]),
    ...(scrapeSeconds === undefined ? [] : [`scrapes of ${scrapeSeconds} s`]),
  ].join(', ');
