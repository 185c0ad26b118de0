import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureContourDefinitions } from '../../scripts/e2e-contour.ts';
import { CHARTS } from '../e2e/helm.ts';
import { type ContourProxy, startContour } from '../planes/contour.ts';
import { applyCrdFiles } from '../scenarios/environment.ts';
import type { Seen } from './clients/client.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import {
  clientsWithoutRelease,
  ENDINGS,
  type Ending,
  hostOf,
  KINDS,
  type Kind,
  type Release,
  releaseUnderClients,
  type Way,
} from './long-connections.ts';
import { record } from './recorded.ts';

const node = givenNode('application', 'serin');
let installed: Installed;
let contour: ContourProxy;

/** Flag of the controller; the default is one interval, 10 s here. */
const DELAY = '--scale-down-delay=30s';
const throughEnvoy: Way['entry'] = (namespace) => ({ url: contour.url, host: hostOf(namespace) });
const every = Object.keys(ENDINGS) as Ending[];
const WAYS = {
  'a Service': { provider: 'kubernetes', endings: every, entry: (_, url) => ({ url }) },
  'weights of Contour and Envoy': { provider: 'contour', endings: every, entry: throughEnvoy },
  'weights of Contour and Envoy, with `--scale-down-delay=30s`': {
    provider: 'contour',
    isDelayed: true,
    endings: ['ends at SIGTERM', 'drains at SIGTERM'],
    entry: throughEnvoy,
  },
} satisfies Record<string, Way>;
type WayName = keyof typeof WAYS;

const wayNames = Object.keys(WAYS) as WayName[];
/** Releases at a time: more of them than processors are late for each other's probes. */
const AT_A_TIME = 5;
/** Number of shown lines of Envoy's log of lost requests. */
const SHOWN_LINES = 20;
/** Beside the endings: what the same clients see of an application that is not released. */
const NO_RELEASE = 'no release';
type Row = typeof NO_RELEASE | Ending;
const rows: readonly Row[] = [NO_RELEASE, ...every];
const seen: Partial<Record<WayName, Partial<Record<Row, Release>>>> = {};

beforeAll(async () => {
  const { contour: definitions } = await ensureContourDefinitions();
  await applyCrdFiles(node().plane.cluster, [definitions]);
  installed = await installSerin(node(), { providers: ['contour'] });
  contour = await startContour({ kubeconfigFile: node().plane.adminKubeconfigFile, hasAccessLog: true });
  await play(({ isDelayed = false }) => !isDelayed);
  const flags = ['--reuse-values', '--set', `extraArgs={${DELAY}}`, '--wait'];
  const upgraded = await installed.helm.run('upgrade', 'serin', join(CHARTS, 'serin'), '--namespace', 'serin', ...flags);
  expect(upgraded.code, upgraded.complained).toBe(0);
  await play(({ isDelayed = false }) => isDelayed);
  // In the order in which they are listed, not in which they ended.
  const inOrder = (name: WayName) => rows.flatMap((row) => (seen[name]?.[row] ? [[row, seen[name][row]] as const] : []));
  record('long-connections', Object.fromEntries(wayNames.map((name) => [name, Object.fromEntries(inOrder(name))])));
}, 1_200_000);
afterAll(async () => {
  await contour?.stop();
  installed?.helm.stop();
});

/** Plays all releases of some of the ways. */
async function play(isPlayed: (way: Way) => boolean): Promise<void> {
  const queue = wayNames.flatMap((name, at) => {
    const way: Way = WAYS[name];
    return isPlayed(way) ? way.endings.map((ending) => ({ name, way, ending, namespace: `way-${at}-${every.indexOf(ending)}` })) : [];
  });
  const next = async (): Promise<void> => {
    for (let row = queue.shift(); row; row = queue.shift()) {
      const { way, ending, namespace } = row;
      const release = await releaseUnderClients(node(), installed, namespace, way, ending);
      seen[row.name] = { ...seen[row.name], [ending]: release };
    }
  };
  const played = wayNames.filter((name) => isPlayed(WAYS[name]));
  const unreleased = await Promise.all(
    played.map(async (name) => {
      const namespace = `way-${wayNames.indexOf(name)}-unreleased`;
      return { name, clients: await clientsWithoutRelease(node(), installed, namespace, WAYS[name]) };
    }),
  );
  await Promise.all(Array.from({ length: AT_A_TIME }, next));
  for (const { name, clients } of unreleased) seen[name] = { ...seen[name], [NO_RELEASE]: await clients.stop() };
}

/** Envoy's log lines for lost short requests; only the first of them. */
function saidByEnvoy(): string {
  const lines = contour.lostRequests().filter((line) => line.includes('"GET / '));
  return [`Envoy: ${lines.length} requests failed or were late`, ...lines.slice(0, SHOWN_LINES)].join('\n');
}

function seenBy(name: WayName, row: Row, kind: Kind): Seen {
  const found = seen[name]?.[row]?.[kind];
  if (!found) throw new Error(`no client of ${kind}`);
  return found;
}
const kindsOf = (name: WayName): readonly Kind[] =>
  KINDS.filter((kind) => kind !== 'a headless Service' || WAYS[name].provider === 'kubernetes');

describe.each(wayNames)('through %s', (name) => {
  it.each(kindsOf(name))('I10: with an application that drains, a release loses nothing of clients with %s, and cuts none off', (kind) => {
    const { lost, cut, answers } = seenBy(name, 'drains at SIGTERM', kind);
    expect({ lost, cut }, saidByEnvoy()).toEqual({ lost: [], cut: 0 });
    expect(Object.keys(answers)).toEqual(['1', '2']);
  });

  it.each(kindsOf(name))('the machine keeps up: without a release, clients with %s lose nothing', (kind) => {
    const { lost, cut } = seenBy(name, NO_RELEASE, kind);
    expect({ lost, cut }, saidByEnvoy()).toEqual({ lost: [], cut: 0 });
  });

  it.each(['gRPC streams', 'WebSockets'] as const)('no release can keep %s from an application that ends at once', (kind) => {
    const { lost, cut } = seenBy(name, 'ends at SIGTERM', kind);
    expect(lost.length + cut).toBeGreaterThan(0);
  });
});
