/**
 * Runs test/planes in a network namespace of its own, where every address of the range of pods is a local one, so that pods, proxies and Services
 * have the addresses that the API server gives them, and no port is taken. Arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { ensureBinaries } from './e2e-binaries.ts';
import { ensureEnvoy } from './e2e-envoy.ts';
import { ensureIngressNginx } from './e2e-ingress-nginx.ts';
import { ensureIstiod } from './e2e-istiod.ts';
import { MissingToolError } from './e2e-tools.ts';

const POD_RANGE = '10.244.0.0/16';
const ENTER = ['unshare', '--net', 'sh', '-c', `ip link set lo up && ip route add local ${POD_RANGE} dev lo && exec "$@"`, 'sh'] as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function runInNamespace(words: readonly string[], stdio: 'inherit' | 'pipe'): { code: number; output: string } {
  const [command, ...args] = [...ENTER, ...words];
  const { status, error, stderr } = spawnSync(command, args, { stdio });
  return { code: status ?? 1, output: error?.message ?? stderr?.toString().trim() ?? '' };
}

const trial = runInNamespace(['true'], 'pipe');
if (trial.code !== 0) {
  say(`skipped: the tests of real data planes need a network namespace of their own, and this machine permits none (${trial.output}).`);
  say('They run as root on Linux with unshare (util-linux) and ip (iproute2).');
} else
  try {
    // Before the namespace is entered, from which nothing outside can be reached.
    await ensureBinaries(say);
    await ensureEnvoy(say);
    await ensureIstiod(say);
    await ensureIngressNginx(say);
    const vitest = ['npx', '--no-install', 'vitest', 'run', '--config', 'vitest.planes.config.ts', ...process.argv.slice(2)];
    process.exitCode = runInNamespace(vitest, 'inherit').code;
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
