/**
 * Runs test/planes in a network namespace of its own, where every address of the range of pods is a local one, so that pods, proxies and Services
 * have the addresses that the API server gives them, and no port is taken. Arguments go to vitest, but for `--sample`: Istio, and of
 * the other planes another one each day.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBinaries } from './e2e-binaries.ts';
import { ensureContour, ensureContourDefinitions } from './e2e-contour.ts';
import { ensureEnvoy } from './e2e-envoy.ts';
import { ensureIngressNginx } from './e2e-ingress-nginx.ts';
import { ensureIstiod } from './e2e-istiod.ts';
import { ensureKnative, ensureKnativeManifests } from './e2e-knative.ts';
import { ensureKubeProxy } from './e2e-kube-proxy.ts';
import { ensureSkipper } from './e2e-skipper.ts';
import { MissingToolError } from './e2e-tools.ts';
import { ensureTraefik, ensureTraefikDefinitions } from './e2e-traefik.ts';

/** What each plane needs, by the beginning of the names of its tests; the longest one counts. */
const PLANES: Readonly<Record<string, readonly ((say: (line: string) => void) => Promise<unknown>)[]>> = {
  istio: [ensureIstiod, ensureEnvoy],
  'istio-gateway-class': [ensureIstiod, ensureEnvoy],
  'istio-grpc': [ensureIstiod, ensureEnvoy],
  'kube-proxy': [ensureKubeProxy],
  'kube-proxy-nodes': [ensureKubeProxy],
  contour: [ensureContour, ensureContourDefinitions, ensureEnvoy],
  'ingress-nginx': [ensureIngressNginx],
  knative: [ensureKnative, ensureKnativeManifests, ensureContour, ensureContourDefinitions, ensureEnvoy],
  traefik: [ensureTraefik, ensureTraefikDefinitions],
  skipper: [ensureSkipper],
  'gateway-api': [ensureContour, ensureContourDefinitions, ensureEnvoy],
};
/** Played in every sample. */
const ALWAYS = ['istio'];
const SAMPLE = '--sample';
const DAY_MS = 86_400_000;

const POD_RANGE = '10.244.0.0/16';
const ENTER = ['unshare', '--net', 'sh', '-c', `ip link set lo up && ip route add local ${POD_RANGE} dev lo && exec "$@"`, 'sh'] as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function runInNamespace(words: readonly string[], stdio: 'inherit' | 'pipe'): { code: number; output: string } {
  const [command, ...args] = [...ENTER, ...words];
  const { status, error, stderr } = spawnSync(command, args, { stdio });
  return { code: status ?? 1, output: error?.message ?? stderr?.toString().trim() ?? '' };
}

/** Those that the arguments name, or all; of a sample those of every day, and one of the others in turn. */
function planesOf(args: readonly string[]): string[] {
  const all = Object.keys(PLANES);
  if (args.includes(SAMPLE)) {
    const others = all.filter((plane) => !ALWAYS.includes(plane));
    return [...ALWAYS, ...others.slice(Math.floor(Date.now() / DAY_MS) % others.length).slice(0, 1)];
  }
  const named = all.filter((plane) => args.some((each) => each.includes(plane)));
  return named.length === 0 ? all : named;
}

/** Tests of these planes. */
function testsOf(planes: readonly string[]): string[] {
  const longestFirst = Object.keys(PLANES).toSorted((a, b) => b.length - a.length);
  const tests = readdirSync(join(import.meta.dirname, '..', 'test', 'planes')).filter((file) => file.endsWith('.test.ts'));
  return tests
    .filter((file) => planes.includes(longestFirst.find((plane) => file.startsWith(plane)) ?? ''))
    .map((file) => join('test', 'planes', file));
}

/** A sample goes on without a plane whose programs cannot be had, and says why; Istio's have to be there. */
async function planesToBeHad(planes: readonly string[], isSample: boolean): Promise<string[]> {
  const had: string[] = [];
  for (const plane of planes)
    try {
      for (const ensure of PLANES[plane] ?? []) await ensure(say);
      had.push(plane);
    } catch (error) {
      if (!isSample || plane === 'istio' || !(error instanceof MissingToolError)) throw error;
      say(`left out of this sample: ${plane}, whose programs cannot be had here.\n${error.message}`);
    }
  return had;
}

const trial = runInNamespace(['true'], 'pipe');
if (trial.code !== 0) {
  say(`skipped: the tests of real data planes need a network namespace of their own, and this machine permits none (${trial.output}).`);
  say('They run as root on Linux with unshare (util-linux) and ip (iproute2).');
} else
  try {
    const args = process.argv.slice(2);
    const planes = planesOf(args);
    // Before the namespace is entered, from which nothing outside can be reached.
    await ensureBinaries(say);
    const isSample = args.includes(SAMPLE);
    const had = await planesToBeHad(planes, isSample);
    const sampled = isSample ? testsOf(had) : [];
    const vitest = ['npx', '--no-install', 'vitest', 'run', '--config', 'vitest.planes.config.ts', ...sampled];
    vitest.push(...args.filter((each) => each !== SAMPLE));
    process.exitCode = runInNamespace(vitest, 'inherit').code;
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
