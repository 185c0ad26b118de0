import { BREAKING, type Cell, KINDS, paceOf, STRATEGIES, strategies, TOLERATED, TRAFFIC } from '../../test/study/cells.ts';
import type { DeciderName } from '../../test/study/deciders.ts';
import { LATENCY_KINDS } from '../../test/study/latency-traffic.ts';
import type { Outcome } from '../../test/study/play.ts';
import type { Played, Results } from '../../test/study/results.ts';
import type { Series } from './plot.ts';

type Row = Played<Cell>;

/** The deciders, as the page calls them. */
export const NAMES: Readonly<Record<DeciderName, string>> = {
  serin: 'Serin',
  flagger: 'Flagger',
  argo: 'Argo Rollouts',
  kayenta: 'Kayenta',
  fixedHorizon: 'fixed test',
  peeking: 'fixed test, peeked',
};
const deciderNames = Object.keys(NAMES) as DeciderName[];
/** A canary that fails less than this is not bad, by definition. */
const AT_LEAST = 0.001;

const rowOf = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const tableOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [rowOf(head), rowOf(head.map(() => '---')), ...rows.map(rowOf)].join('\n');

const sumOf = (rows: readonly Row[], name: DeciderName, count: keyof Outcome): number =>
  rows.reduce((sum, { outcomes }) => sum + (outcomes[name]?.[count] ?? 0), 0);
const releasesOf = (rows: readonly { releases: number }[]): number => rows.reduce((sum, { releases }) => sum + releases, 0);
const shareOf = (rows: readonly Row[], name: DeciderName, count: 'rolledBack' | 'promoted' | 'undecided'): number =>
  sumOf(rows, name, count) / releasesOf(rows);
/** Two digits that count; a share of none is written as 0. */
const percent = (share: number): string => (share === 0 ? '0%' : `${Number((share * 100).toPrecision(2))}%`);
const rps = (traffic: number): string => traffic.toLocaleString('en');
const nameOf = (cell: Cell): string => {
  const { kind, rps: traffic, base, effect, strategy, windowSeconds } = cell;
  const name = `${kind}, ${rps(traffic)} requests/s, ${Number((base * 100).toPrecision(3))}%, ×${effect}, ${strategy}`;
  return windowSeconds === undefined ? name : `${name}, ${paceOf(cell)}`;
};

/** The worst of some cells. */
export function worstOf(rows: readonly Row[]): { name: string; share: number; of: number } {
  const [worst] = rows.toSorted((a, b) => shareOf([b], 'serin', 'rolledBack') - shareOf([a], 'serin', 'rolledBack'));
  return worst === undefined
    ? { name: '', share: 0, of: 0 }
    : { name: nameOf(worst), share: shareOf([worst], 'serin', 'rolledBack'), of: worst.releases };
}

const rolledBackAt = (rows: readonly Row[], effect: number): string =>
  percent(
    shareOf(
      rows.filter((row) => row.effect === effect),
      'serin',
      'rolledBack',
    ),
  );

/** Cells of the null with their larger second run in place of the first, where there was one. */
export const nullRows = ({ null: rows, again }: Results): Row[] => withSecondRun(rows, again);

export function withSecondRun<R extends Row>(rows: readonly R[], again: readonly R[]): R[] {
  const larger = new Map(again.map((row) => [nameOf(row), row]));
  return rows.map((row) => larger.get(nameOf(row)) ?? row);
}

export function falseAlarmTable(results: Results): string {
  const rows = nullRows(results);
  return tableOf(
    ['failures', 'releases', 'as good as the primary', `${TOLERATED} times worse`, 'worst cell'],
    (Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind) => {
      const ofKind = rows.filter((row) => row.kind === kind);
      const { name, share, of } = worstOf(ofKind);
      const at = (effect: number) => rolledBackAt(ofKind, effect);
      return [kind, rps(releasesOf(ofKind)), at(1), at(TOLERATED), share === 0 ? 'none' : `${percent(share)} of ${rps(of)}: ${name}`];
    }),
  );
}

export const againTable = ({ again, null: first }: Results): string => secondRunTable(first, again);

export function secondRunTable(first: readonly Row[], again: readonly Row[]): string {
  if (again.length === 0) return 'No cell had more in its first run.';
  return tableOf(
    ['cell', 'first run', 'second run'],
    again.map((row) => {
      const before = first.filter((other) => nameOf(other) === nameOf(row));
      return [
        nameOf(row),
        percent(shareOf(before, 'serin', 'rolledBack')),
        `${percent(shareOf([row], 'serin', 'rolledBack'))} of ${rps(row.releases)}`,
      ];
    }),
  );
}

/** Versions that are as good as the primary and were rolled back, by decider and rate. */
export function rivalsTable({ null: rows }: Results): string {
  return tableOf(
    ['rate of the primary', ...deciderNames.map((name) => NAMES[name])],
    [0, 0.0005, 0.005, 0.05].map((base) => {
      const good = rows.filter((row) => row.effect === 1 && row.base === base);
      return [percent(base), ...deciderNames.map((name) => percent(shareOf(good, name, 'rolledBack')))];
    }),
  );
}

export const tenTimesWorse = ({ bad }: Results): Row[] => bad.filter(({ effect, base }) => effect === 10 && base * effect >= 0.005);

/** Outcome of versions that are ten times worse, by traffic. */
export function missedTable(results: Results): string {
  return tableOf(
    ['requests/s', ...deciderNames.map((name) => NAMES[name]), 'Serin: cannot decide'],
    TRAFFIC.map((traffic) => {
      const rows = tenTimesWorse(results).filter((row) => row.rps === traffic);
      return [
        rps(traffic),
        ...deciderNames.map((name) => percent(shareOf(rows, name, 'promoted'))),
        percent(shareOf(rows, 'serin', 'undecided')),
      ];
    }),
  );
}

/** All canaries that are bad by definition and were promoted by the judge, and the worst cell. */
export function missedShare({ bad }: Results): { share: number; of: number; worst: string } {
  const rows = bad.filter(({ effect, base }) => effect >= TOLERATED && base * effect > AT_LEAST * 1.0001);
  const [worst] = rows.toSorted((a, b) => shareOf([b], 'serin', 'promoted') - shareOf([a], 'serin', 'promoted'));
  const text = worst === undefined ? '' : `${percent(shareOf([worst], 'serin', 'promoted'))} of ${worst.releases}: ${nameOf(worst)}`;
  const share = shareOf(rows, 'serin', 'promoted');
  return { share, of: releasesOf(rows), worst: share === 0 ? 'none' : text };
}

/** Versions whose failures lag behind their traffic. */
export function lateTable({ late }: Results): string {
  const effects = [...new Set(late.map(({ effect }) => effect))];
  return tableOf(
    ['effect', 'rolled back', 'promoted', 'cannot decide'],
    effects.map((effect) => {
      const rows = late.filter((row) => row.effect === effect);
      return [`×${effect}`, ...(['rolledBack', 'promoted', 'undecided'] as const).map((count) => percent(shareOf(rows, 'serin', count)))];
    }),
  );
}

const found = (row: Row | undefined, name: DeciderName): string => {
  const outcome = row?.outcomes[name];
  if (row === undefined || outcome === undefined || outcome.minutesToRollback === undefined) return 'never';
  const share = outcome.rolledBack / row.releases;
  return share >= 0.995 ? `${outcome.minutesToRollback} min` : `${outcome.minutesToRollback} min (${percent(share)})`;
};

/** Minutes until a version is rolled back, beside every rival. */
export function detectionTable({ bad }: Results, { base, effect, kind }: { base: number; effect: number; kind: Cell['kind'] }): string {
  return tableOf(
    ['requests/s', ...deciderNames.map((name) => NAMES[name])],
    TRAFFIC.map((traffic) => {
      const row = bad.find(
        (cell) => cell.rps === traffic && cell.base === base && cell.effect === effect && cell.kind === kind && cell.strategy === 'linear',
      );
      return [rps(traffic), ...deciderNames.map((name) => found(row, name))];
    }),
  );
}

export function effectTable({ bad }: Results): string {
  return tableOf(
    ['effect', ...TRAFFIC.map((traffic) => `${rps(traffic)}/s`)],
    [0.0005, 0.005].flatMap((base) =>
      [2, 3, 10, 100].map((effect) => [
        `${percent(base)} × ${effect}`,
        ...TRAFFIC.map((traffic) =>
          found(
            bad.find(
              (cell) =>
                cell.rps === traffic &&
                cell.base === base &&
                cell.effect === effect &&
                cell.kind === 'independent' &&
                cell.strategy === 'linear',
            ),
            'serin',
          ),
        ),
      ]),
    ),
  );
}

export function strategyTable({ bad, good }: Results): string {
  return tableOf(
    ['strategy', 'ten times worse: rolled back after', 'as good: promoted after', 'as good: cannot decide in 2 h'],
    strategies.map((strategy) => {
      const row = bad.find(
        (cell) =>
          cell.rps === 100 && cell.base === 0.0005 && cell.effect === 10 && cell.kind === 'independent' && cell.strategy === strategy,
      );
      const well = good.find(
        (cell) => cell.rps === 100 && cell.base === 0.0005 && cell.kind === 'independent' && cell.strategy === strategy,
      );
      const minutes = well?.outcomes.serin?.minutesToPromotion;
      return [
        STRATEGIES[strategy],
        found(row, 'serin'),
        minutes === undefined ? 'never' : `${minutes} min`,
        well === undefined ? '' : percent(shareOf([well], 'serin', 'undecided')),
      ];
    }),
  );
}

/** Wait of a good version, and the fraction without a decision. */
export function promotionTable({ good }: Results): string {
  const bases = [0, 0.0005, 0.005, 0.05];
  return tableOf(
    ['requests/s', ...bases.map((base) => `failures ${percent(base)}`)],
    TRAFFIC.map((traffic) => [
      rps(traffic),
      ...bases.map((base) => {
        const row = good.find(
          (cell) => cell.rps === traffic && cell.base === base && cell.kind === 'independent' && cell.strategy === 'linear',
        );
        const minutes = row?.outcomes.serin?.minutesToPromotion;
        if (row === undefined || minutes === undefined) return 'cannot decide';
        const undecided = shareOf([row], 'serin', 'undecided');
        return undecided === 0 ? `${minutes} min` : `${minutes} min; cannot decide: ${percent(undecided)}`;
      }),
    ]),
  );
}

export function breakingTable({ breaking }: Results): string {
  return tableOf(
    ['failures', 'as good as the primary', `${TOLERATED} times worse`, 'worst cell'],
    (Object.keys(BREAKING) as (keyof typeof BREAKING)[]).map((kind) => {
      const rows = breaking.filter((row) => row.kind === kind);
      const at = (effect: number) => rolledBackAt(rows, effect);
      const { name, share } = worstOf(rows);
      return [BREAKING[kind], at(1), at(TOLERATED), share === 0 ? 'none' : `${percent(share)}: ${name}`];
    }),
  );
}

export function latencyTable({ latency, latencyNull }: Results): string {
  const factors = [...new Set(latency.map(({ slower }) => slower))];
  const rows = (Object.keys(LATENCY_KINDS) as (keyof typeof LATENCY_KINDS)[]).flatMap((kind) =>
    factors.map((slower) => [
      kind,
      `×${slower}`,
      ...[1, 10, 100, 1000, 10_000].map((traffic) => {
        const cell = latency.find((row) => row.kind === kind && row.slower === slower && row.rps === traffic);
        const outcome = cell?.outcomes.serin;
        if (cell === undefined || outcome === undefined) return '';
        const parts = [
          outcome.rolledBack > 0 ? `rolled back ${percent(outcome.rolledBack / cell.releases)}, ${outcome.minutesToRollback} min` : '',
          outcome.promoted > 0 ? `promoted ${percent(outcome.promoted / cell.releases)}, ${outcome.minutesToPromotion} min` : '',
        ].filter((part) => part !== '');
        return parts.length === 0 ? 'cannot decide' : parts.join('; ');
      }),
    ]),
  );
  const falseAlarms = latencyNull.reduce((sum, { outcomes }) => sum + (outcomes.serin?.rolledBack ?? 0), 0);
  return `${tableOf(['slow requests', 'canary slower by', ...[1, 10, 100, 1000, 10_000].map((traffic) => `${rps(traffic)}/s`)], rows)}

Of ${rps(releasesOf(latencyNull))} canaries that were slower by ${latencyNull.length === 0 ? '' : Math.max(...latencyNull.map(({ slower }) => slower))} times at most, and watched for two hours, ${falseAlarms} were rolled back.`;
}

/** Share of ten times worse versions that are rolled back within two hours, by traffic. */
export const foundSeries = (results: Results): Series[] =>
  deciderNames.map((name) => ({
    name: NAMES[name],
    values: TRAFFIC.map(
      (traffic) =>
        100 *
        shareOf(
          results.bad.filter((row) => row.base === 0.0005 && row.effect === 10 && row.kind === 'independent' && row.rps === traffic),
          name,
          'rolledBack',
        ),
    ),
  }));

/** Share of good versions that are rolled back, by traffic. */
export const falseSeries = ({ null: rows }: Results): Series[] =>
  deciderNames.map((name) => ({
    name: NAMES[name],
    values: TRAFFIC.map(
      (traffic) =>
        100 *
        shareOf(
          rows.filter((row) => row.effect === 1 && row.base <= 0.005 && row.rps === traffic),
          name,
          'rolledBack',
        ),
    ),
  }));

export { percent, releasesOf, rps, TRAFFIC, tableOf };
export const serinShare = (rows: readonly Row[]): number => shareOf(rows, 'serin', 'rolledBack');
export const promotedShare = (rows: readonly Row[], name: DeciderName): number => shareOf(rows, name, 'promoted');
