/**
 * Runs test/node in namespaces of its own (test/node/namespaces.sh), where a real node lives: containerd, kubelet, kube-proxy, and the control plane.
 * Programs and images are made before, since nothing outside can be reached from there. Arguments go to vitest, but for `--sample`: the quick start alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureContour, ensureContourDefinitions } from './e2e-contour.ts';
import { ensureEnvoy } from './e2e-envoy.ts';
import { ensureHelm } from './e2e-helm.ts';
import { cacheFolder, MissingToolError } from './e2e-tools.ts';
import { ensureNodeImages } from './node/images.ts';
import { ensureNodePrograms } from './node/programs.ts';
import { NAMESPACES, refusal } from './node/refusal.ts';
import { tracesOf } from './node/traces.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const SAMPLE = '--sample';

/** In the cache and not in /tmp, which may be a file system in memory, where overlayfs cannot write. */
const work = cacheFolder('node-work');
mkdirSync(work, { recursive: true });
const folder = mkdtempSync(join(work, 'run-'));
const clean = (): void => rmSync(folder, { recursive: true, force: true });
let child: ChildProcess | undefined;
// The terminal sends an interrupt to all of the group; the script takes it, and cleans up.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (child !== undefined) child.kill(signal);
    else {
      clean();
      process.exit(1);
    }
  });

function asked(): string[] {
  const args = process.argv.slice(2);
  return args.includes(SAMPLE) ? ['quick-start', ...args.filter((each) => each !== SAMPLE)] : args;
}

try {
  const why = refusal();
  if (why !== undefined) say(`skipped: the tests of a real node run containers in namespaces of their own, and ${why}`);
  else {
    const programs = await ensureNodePrograms(say);
    const images = await ensureNodeImages(say, folder);
    await ensureHelm(say);
    await ensureContour(say);
    await ensureContourDefinitions();
    await ensureEnvoy(say);
    const vitest = ['npx', '--no-install', 'vitest', 'run', '--config', 'vitest.node.config.ts', ...asked()];
    const env = { ...process.env, SERIN_NODE: JSON.stringify({ programs, images, folder }) };
    child = spawn('bash', [NAMESPACES, folder, ...vitest], { stdio: 'inherit', env });
    const started = child;
    process.exitCode = await new Promise<number>((resolve) => started.once('exit', (code) => resolve(code ?? 1)));
    const left = tracesOf(folder);
    if (left.length > 0) {
      process.stderr.write(`the node left on this machine:\n${left.map(({ kind, name }) => `  ${kind} ${name}`).join('\n')}\n`);
      process.exitCode = 1;
    }
  }
} catch (error) {
  if (!(error instanceof MissingToolError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  clean();
}
