import { listed } from '../figures.ts';
import type { AtOnceResult } from './measure-at-once.ts';
import type { Cost, Reached, Releases, Spread } from './phases.ts';

const LABEL = 58;
const COLUMN = 22;

type Row = [label: string, of: (result: AtOnceResult) => string | undefined];

const seconds = (ms: number | undefined, digits = 1): string | undefined =>
  ms === undefined ? undefined : `${(ms / 1000).toFixed(digits)} s`;
const p50p99 = ({ p50, p99 }: Spread): string => (Number.isNaN(p50) ? 'none' : `${seconds(p50, 2)} / ${seconds(p99, 2)}`);
const reached = (one: Reached | undefined): string | undefined => one && (seconds(one.tookMs) ?? `${one.reached} of ${one.of}`);
const memory = (cost: Cost | undefined): string | undefined => cost && `${cost.rssMiB.toFixed(0)} / ${cost.peakMiB.toFixed(0)} MiB`;
const cpu = (cost: Cost | undefined): string | undefined => cost && `${cost.cpuSeconds.toFixed(2)} s`;
const serverCpu = (cost: Cost | undefined): string | undefined => map(cost?.serverCpuSeconds, (used) => `${used.toFixed(2)} s`);
const troubles = (cost: Cost | undefined): string | undefined =>
  cost && `${listed(cost.requests.failures)}; ${percentOf(cost.requests.cancelled, cost.requests.total)}`;
const sent = (cost: Cost | undefined): string | undefined => cost && `${cost.requests.total}, ${cost.requests.resent}`;
const each = (one: Releases | undefined): string | undefined => one && (one.requests.total / one.of).toFixed(1);
const percentOf = (part: number, whole: number): string => `${whole === 0 ? 0 : ((part * 100) / whole).toFixed(1)}%`;

const rowsOf = (name: string, of: (result: AtOnceResult) => Releases | undefined): Row[] => [
  [`${name}: all ended after`, (r) => reached(of(r))],
  ['  reaction p50 / p99', (r) => map(of(r), ({ reactionMs }) => p50p99(reactionMs))],
  ['  lateness of steps p50 / p99', (r) => map(of(r), ({ latenessMs }) => p50p99(latenessMs))],
  ['  whole release p50 / p99', (r) => map(of(r), ({ wholeMs }) => p50p99(wholeMs))],
  ['  ends', (r) => map(of(r), ({ ends }) => listed(ends))],
  ['  requests a release', (r) => each(of(r))],
  ['  requests, sent again', (r) => sent(of(r))],
  ['  429, 5xx; cancelled', (r) => troubles(of(r))],
  ['  CPU', (r) => cpu(of(r))],
  ['  CPU of the API server', (r) => serverCpu(of(r))],
  ['  memory, at the most', (r) => memory(of(r))],
];

const ROWS: readonly Row[] = [
  ['all applied at once, initialized after', (r) => reached(r.initialized)],
  [
    '  a plain client creates their objects in',
    (r) => map(r.plain, ({ tookMs, reached: sets }) => seconds(tookMs) ?? `${sets} of ${r.size}`),
  ],
  ['  requests, sent again', (r) => sent(r.initialized)],
  ['  429, 5xx; cancelled', (r) => troubles(r.initialized)],
  ['  CPU', (r) => cpu(r.initialized)],
  ['  CPU of the API server', (r) => serverCpu(r.initialized)],
  ['  memory, at the most', (r) => memory(r.initialized)],
  ['idle for 60 s: requests', (r) => map(r.idle, ({ requests }) => String(requests.total))],
  ['  CPU', (r) => cpu(r.idle)],
  ['  CPU of the API server', (r) => serverCpu(r.idle)],
  ['  memory, at the most', (r) => memory(r.idle)],
  ...rowsOf('one release alone', (r) => r.alone),
  ...rowsOf('releases', (r) => r.releases),
  ...rowsOf('bad releases', (r) => r.bad),
  ['restart: ready after', (r) => seconds(r.restart?.readyMs, 2)],
  ['  last watch is opened after', (r) => seconds(r.restart?.watchingMs, 2)],
  ['  first status of a release pushed meanwhile', (r) => seconds(r.restart?.reactionMs, 2)],
  ['  requests in 30 s, writes', (r) => map(r.restart?.cost, ({ requests }) => `${requests.total}, ${requests.writes}`)],
  ['  memory, at the most', (r) => memory(r.restart?.cost)],
  ['leader killed: first status of a release pushed then', (r) => seconds(r.leaderChange?.reactionMs, 2)],
  ['  requests in 30 s, writes', (r) => map(r.leaderChange?.cost, ({ requests }) => `${requests.total}, ${requests.writes}`)],
  ['API server at fault', (r) => map(r.faulty, ({ fault, faultSeconds }) => `${fault}, ${faultSeconds} s`)],
  ...rowsOf('releases meanwhile', (r) => r.faulty),
  ['  recovered after', (r) => r.faulty && (seconds(r.faulty.recoveredMs) ?? 'not')],
  [
    '  requests, of those without the fault',
    (r) => map(r.faulty, ({ requests, refusedByProxy }) => times(requests.total + refusedByProxy, r)),
  ],
  ['process ended by itself', (r) => String(endsOf(r))],
];

const times = (count: number, { releases }: AtOnceResult): string => `× ${(count / (releases?.requests.total ?? Number.NaN)).toFixed(2)}`;
const endsOf = ({ initialized, idle, alone, releases, bad, faulty }: AtOnceResult): number =>
  [initialized, idle, alone, releases, bad, faulty].reduce((sum, phase) => sum + (phase?.processEnds ?? 0), 0);

function map<T>(value: T | undefined, of: (value: T) => string): string | undefined {
  return value === undefined ? undefined : of(value);
}

export function atOnceLines(results: readonly AtOnceResult[]): string[] {
  const heads = results.map(({ controller, size }) => `${controller}, ${size}`.padStart(COLUMN));
  const lines = ROWS.flatMap(([label, of]) => {
    const cells = results.map(of);
    return cells.every((cell) => cell === undefined)
      ? []
      : [`${label.padEnd(LABEL)}${cells.map((cell = '-') => cell.padStart(COLUMN)).join('')}`];
  });
  return [
    '',
    'Deployments are ready as soon as their change is seen: a writer of their status stands for kube-controller-manager and pods.',
    `${''.padEnd(LABEL)}${heads.join('')}`,
    ...lines,
    '',
    ...results.flatMap(detailsOf),
  ];
}

function detailsOf(result: AtOnceResult): string[] {
  const { controller, size, initialized, idle, plain, releases, bad, faulty, restart, stopped } = result;
  const line = (what: string, text: string) => `${controller}, ${size}, ${what}: ${text}`;
  const ofEach = (one: Releases) =>
    Object.entries(one.requests.byWhat)
      .toSorted(([, a], [, b]) => b - a)
      .map(([what, count]) => `${(count / one.of).toFixed(2)} ${what}`)
      .join(', ');
  return [
    ...(stopped === undefined ? [] : [line('stopped', stopped)]),
    ...(initialized ? [line('initialization', listed(initialized.requests.byWhat))] : []),
    ...(plain
      ? [line('made for one Canary', listed(plain.kinds)), line('plain client, objects a second by requests at once', rated(plain.rates))]
      : []),
    ...(idle ? [line('idle', listed(idle.requests.byWhat))] : []),
    ...(releases ? [line('requests a release', ofEach(releases))] : []),
    ...(bad ? [line('requests a bad release', ofEach(bad))] : []),
    ...(faulty ? [line(`requests a release, API server ${faulty.fault}`, ofEach(faulty))] : []),
    ...(restart ? [line('restart', listed(restart.cost.requests.byWhat))] : []),
  ];
}

const rated = (rates: Record<number, number>): string =>
  Object.entries(rates)
    .map(([atOnce, rate]) => `${atOnce}: ${rate.toFixed(0)}`)
    .join(', ');
