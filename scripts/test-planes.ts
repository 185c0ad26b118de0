/**
 * Runs test/planes in a network namespace of its own, where every address of the range of pods is a local one, so that pods, proxies and Services
 * have the addresses that the API server gives them, and no port is taken. Arguments go to vitest, but for `--sample`: Istio, and of
 * the other planes another one each day.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MissingToolError } from './e2e-tools.ts';
import { allPlanes, ensurePlane, planeOfTest, planesOfTheDay } from './planes.ts';

const SAMPLE = '--sample';

const POD_RANGE = '10.244.0.0/16';
const ENTER = ['unshare', '--net', 'sh', '-c', `ip link set lo up && ip route add local ${POD_RANGE} dev lo && exec "$@"`, 'sh'] as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function runInNamespace(words: readonly string[], stdio: 'inherit' | 'pipe'): { code: number; output: string } {
  const [command, ...args] = [...ENTER, ...words];
  const { status, error, stderr } = spawnSync(command, args, { stdio });
  return { code: status ?? 1, output: error?.message ?? stderr?.toString().trim() ?? '' };
}

/** Planes that the arguments name, or all; with `--sample` those of the day. */
function planesOf(args: readonly string[]): readonly string[] {
  if (args.includes(SAMPLE)) return planesOfTheDay(Date.now());
  const named = allPlanes.filter((plane) => args.some((each) => each.includes(plane)));
  return named.length === 0 ? allPlanes : named;
}

/** Tests of these planes. */
function testsOf(planes: readonly string[]): string[] {
  const tests = readdirSync(join(import.meta.dirname, '..', 'test', 'planes')).filter((file) => file.endsWith('.test.ts'));
  return tests.filter((file) => planes.includes(planeOfTest(file) ?? '')).map((file) => join('test', 'planes', file));
}

/** A sample goes on without a plane whose programs cannot be had, and says why; Istio's are required. */
async function planesToBeHad(planes: readonly string[], isSample: boolean): Promise<string[]> {
  const had: string[] = [];
  for (const plane of planes)
    try {
      await ensurePlane(plane, say);
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
    const isSample = args.includes(SAMPLE);
    // Before the namespace is entered, from which nothing outside can be reached.
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
