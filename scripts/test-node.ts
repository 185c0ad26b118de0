/**
 * Runs test/node in namespaces of its own (test/node/namespaces.sh), where a real node lives: containerd, kubelet, kube-proxy, and the control plane.
 * Programs and images are made before, since nothing outside can be reached from there. Arguments go to vitest, but for `--sample`: the quick start alone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureHelm } from './e2e-helm.ts';
import { cacheFolder, MissingToolError } from './e2e-tools.ts';
import { ensureNodeImages } from './node/images.ts';
import { ensureNodePrograms } from './node/programs.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const SAMPLE = '--sample';
const SCRIPT = join(import.meta.dirname, '..', 'test', 'node', 'namespaces.sh');

/** In the cache and not in /tmp, which may be a file system in memory, where overlayfs cannot write. */
const work = cacheFolder('node-work');
mkdirSync(work, { recursive: true });
const folder = mkdtempSync(join(work, 'run-'));
const clean = (): void => rmSync(folder, { recursive: true, force: true });

function asked(): string[] {
  const args = process.argv.slice(2);
  return args.includes(SAMPLE) ? ['quick-start', ...args.filter((each) => each !== SAMPLE)] : args;
}

/** Why this machine cannot have a node; undefined: it can. */
function refusal(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  const { status, stderr, error } = spawnSync('bash', [SCRIPT, folder, 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `this machine permits no namespaces of its own: ${error?.message ?? stderr.trim()}`;
}

try {
  const why = refusal();
  if (why !== undefined) say(`skipped: the tests of a real node run containers in namespaces of their own, and ${why}`);
  else {
    const programs = await ensureNodePrograms(say);
    const images = await ensureNodeImages(say);
    await ensureHelm(say);
    const vitest = ['npx', '--no-install', 'vitest', 'run', '--config', 'vitest.node.config.ts', ...asked()];
    const env = { ...process.env, SERIN_NODE: JSON.stringify({ programs, images, folder }) };
    const child = spawn('bash', [SCRIPT, folder, ...vitest], { stdio: 'inherit', env });
    // The terminal sends an interrupt to all of the group; the script takes it, and cleans up.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal === 'SIGTERM' ? signal : undefined));
    process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  }
} catch (error) {
  if (!(error instanceof MissingToolError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  clean();
}
