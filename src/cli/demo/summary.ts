import { wrapped } from '../output/text.ts';

/** The result of one release. */
export interface ReleaseResult {
  version: string;
  expected: 'Succeeded' | 'Failed';
  verdict: string;
  /** Checks with their values and limits, or the reason in words; separated by `; `. */
  why: string;
  seconds: number;
  /** Requests that the new version answered before it was promoted or rolled back, and the errors it made. */
  exposure: { requests: number; errors: number };
}

/** The progress of a release, and the requests to the API server until then. */
export interface Waypoint {
  weight: number;
  iterations: number;
  requests: Record<string, number>;
}

/** Result of the demo, as --json prints it. */
export interface Summary {
  provider: string;
  ok: boolean;
  failure?: string;
  releases: readonly ReleaseResult[];
  /** Without a mesh the weight stays 0, and checks (`iterations`) are counted instead. */
  kill: { downMs: number; weightBefore: number; weightAfter: number; iterationsBefore: number; iterationsAfter: number };
  requestsLost: number;
  apiRequests: { atRestIn2s: Record<string, number>; perStep: Record<string, number> };
  seconds: number;
  /** The controller's log file; kept if the demo failed, or with --keep. */
  log?: string;
}

/** The first release that ended otherwise than it should have, in words; undefined where each ended as expected. */
export function unexpectedEnd(releases: readonly ReleaseResult[]): string | undefined {
  const other = releases.find(({ verdict, expected }) => verdict !== expected);
  if (other === undefined) return undefined;
  if (other.expected === 'Failed') return `version ${other.version} was promoted, and should have been rolled back`;
  // Its requests are real ones, and wait for the processor like all others.
  const remedy = 'where request-duration is the reason, a busy machine answered too late: try again when it is idle';
  return `version ${other.version} was rolled back, and should have been promoted: ${remedy}`;
}

/** Both releases side by side, in at most 79 characters a line. */
export function inWords({ ok, failure, releases, kill, requestsLost, apiRequests, seconds, log }: Summary): string[] {
  const column = (label: string, of: (release: ReleaseResult) => string) =>
    `  ${label.padEnd(INDENT - 2)}${releases.map((release) => of(release).slice(0, 32).padEnd(34)).join('')}`.trimEnd();
  const listed = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ') || 'none';
  const isWeighted = kill.weightBefore > 0;
  const place = isWeighted
    ? `weight ${kill.weightBefore}% when killed, ${kill.weightAfter}% next`
    : `${kill.iterationsBefore} checks passed when killed, ${kill.iterationsAfter} next`;
  return [
    '',
    ...(releases.length === 0
      ? []
      : [
          column('', ({ version }) => `version ${version}`),
          column('verdict', ({ verdict }) => (verdict === 'Succeeded' ? 'promoted' : 'rolled back')),
          column('took', (release) => `${release.seconds} s`),
          column('exposure', ({ exposure }) => `${exposure.requests} requests, ${exposure.errors} errors`),
          ...releases.flatMap(({ version, why }) => beside(`why ${version}`, why.split('; '))),
        ]),
    ...(kill.downMs === 0 ? [] : [`  kill -9  ${(kill.downMs / 1000).toFixed(1)} s until the next step; ${place}`]),
    `  lost     ${requestsLost} requests lost by Serin`,
    ...(ok
      ? [...beside('API', [`requests in 2 s while idle: ${listed(apiRequests.atRestIn2s)}`, 'for a step:', listed(apiRequests.perStep)])]
      : []),
    `  took     ${seconds} s in all`,
    '',
    ...(ok ? [] : [`Failed: ${failure}`, `The controller’s log: ${log}`]),
  ];
}

const WIDTH = 79;
const INDENT = 11;

/** Texts below each other, the first one beside its label. */
function beside(label: string, texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => wrapped(text, WIDTH - INDENT));
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(INDENT - 2)}${line}`);
}

/** Counts that have grown between two moments. */
export function difference(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([what, count]) => [what, count - (before[what] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}

/** Between two waypoints lies one step; the cheapest one is a step in which nothing else happened. */
export function smallestStep(waypoints: readonly Waypoint[]): Record<string, number> {
  const steps = waypoints.slice(1).map((each, index) => {
    const before = waypoints[index] ?? each;
    const isOfWeight = each.weight > before.weight;
    const isStep = isOfWeight || (each.weight === before.weight && each.iterations > before.iterations);
    return { isStep, isOfWeight, cost: difference(each.requests, before.requests) };
  });
  const size = (cost: Record<string, number>) => Object.values(cost).reduce((sum, count) => sum + count, 0);
  const counted = steps.filter(({ isStep, cost }) => isStep && size(cost) > 0).toSorted((a, b) => size(a.cost) - size(b.cost));
  // The route follows its status; on a busy machine it may fall into the next step, which makes this one look too cheap.
  return (counted.find(({ isOfWeight, cost }) => isOfWeight && Object.keys(cost).some(isRouteWrite)) ?? counted[0])?.cost ?? {};
}

function isRouteWrite(request: string): boolean {
  return /^(patch|create|update) /.test(request) && request !== 'patch canaries/status' && request !== 'create events';
}
