/**
 * Runs test/node in namespaces of its own (test/node/namespaces.sh), where a real node lives: containerd, kubelet, kube-proxy, and the control plane. Programs
 * and images are made before, since nothing outside can be reached from there. Arguments go to vitest, but for `--sample`: only the quick start, which is left
 * out if a program cannot be had.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureContour, ensureContourDefinitions } from './e2e-contour.ts';
import { ensureEnvoy } from './e2e-envoy.ts';
import { ensureHelm } from './e2e-go-tool.ts';
import { ensureKubeRouter } from './e2e-kube-router.ts';
import { MissingToolError } from './e2e-tools.ts';
import { ensureFakeTime } from './node/fake-time.ts';
import { allNodeImages, ensureNodeImages, sampledNodeImages } from './node/images.ts';
import { ensureNodePrograms, type NodePrograms } from './node/programs.ts';
import { folderForNode, NAMESPACES, refusal } from './node/refusal.ts';
import { ensureRelease, type KeptRelease } from './node/release.ts';
import { tracesOf } from './node/traces.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const SAMPLE = '--sample';

const folder = folderForNode();
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

const args = process.argv.slice(2);
const isSample = args.includes(SAMPLE);

function asked(): string[] {
  return isSample ? ['quick-start', 'image.test', ...args.filter((each) => each !== SAMPLE)] : args;
}

/** Test that needs a release of the current commit, which takes minutes to make. */
const OF_A_RELEASE = 'test/node/released.test.ts';
const needsRelease = (): boolean => !isSample && (asked().length === 0 || asked().some((each) => OF_A_RELEASE.includes(each)));

/** In a process of its own, which ends its registries and removes its files when it is interrupted. */
async function makeRelease(into: string): Promise<void> {
  const making = spawn(process.execPath, [join(import.meta.dirname, 'node', 'release.ts'), into], { stdio: 'inherit' });
  child = making;
  const [code] = (await once(making, 'exit')) as [number | null];
  child = undefined;
  if (code !== 0) throw new MissingToolError(`the release that ${OF_A_RELEASE} installs cannot be made`);
}

/** A sample goes on without programs that cannot be had, and says why. */
async function programsToBeHad(): Promise<NodePrograms | undefined> {
  try {
    return await ensureNodePrograms(say);
  } catch (error) {
    if (!isSample || !(error instanceof MissingToolError)) throw error;
    say(`left out: a real node, whose programs cannot be had here.\n${error.message}`);
    return undefined;
  }
}

/** Exit code of the tests; 1 where something of them is left on this machine. */
async function play(programs: NodePrograms): Promise<number> {
  const images = await ensureNodeImages(isSample ? sampledNodeImages : allNodeImages, say, folder);
  await ensureHelm(say);
  if (!isSample) {
    await ensureContour(say);
    await ensureContourDefinitions();
    await ensureEnvoy(say);
    await ensureFakeTime(say);
    await ensureKubeRouter(say);
  }
  const release: KeptRelease | undefined = needsRelease() ? await ensureRelease(folder, say, makeRelease) : undefined;
  const vitest = ['npx', '--no-install', 'vitest', 'run', '--config', 'vitest.node.config.ts', ...asked()];
  // Files that a test leaves there are removed with the folder, also if it is interrupted.
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const env = { ...process.env, TMPDIR: temporary, SERIN_NODE: JSON.stringify({ programs, images, folder, release }) };
  const entered = spawn('bash', [NAMESPACES, folder, ...vitest], { stdio: 'inherit', env });
  child = entered;
  const code = await new Promise<number>((resolve) => entered.once('exit', (each) => resolve(each ?? 1)));
  const left = tracesOf(folder);
  for (const { kind, name } of left) process.stderr.write(`the node left on this machine: ${kind} ${name}\n`);
  return left.length > 0 ? 1 : code;
}

try {
  const why = refusal();
  if (why !== undefined) say(`skipped: the tests of a real node run containers in namespaces of their own, and ${why}`);
  else {
    const programs = await programsToBeHad();
    if (programs !== undefined) process.exitCode = await play(programs);
  }
} catch (error) {
  if (!(error instanceof MissingToolError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  clean();
}
