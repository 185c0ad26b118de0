import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CanaryStatus, Verdict } from '../../api/canary-status.ts';
import type { ControllerChild } from './controller-child.ts';
import type { DemoProvider } from './demo-cluster.ts';
import { createScreen, type Screen, withUnit } from './screen.ts';
import { difference, inWords, type ReleaseResult, type Summary, smallestStep, type Waypoint } from './summary.ts';

const INTRODUCTION = [
  'Serin demo: three parts on a cluster inside this process.',
  'Real: the controller, its API calls, HTTP requests, metrics and queries.',
  'Simulated: pods are small HTTP servers; mesh and Prometheus are Serin’s own.',
  'Checks run every 1 s here (--min-analysis-interval); users have 10 s or more.',
];
/** A minute is usual; a machine that is busy with other work needs more. */
const BOUND_MS = 180_000;
const FRAME_MS = 250;

/** Flags of `serin demo`. */
export interface DemoOptions {
  provider: DemoProvider;
  keep: boolean;
  json: boolean;
}

/** Three parts on a cluster in this process; exit code 0 only if version 2 was promoted, 3 rolled back, and no request was lost. */
export async function demoCommand(options: DemoOptions): Promise<number> {
  const startedMs = Date.now();
  const out = options.json ? process.stderr : process.stdout;
  const useColor = out.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  const screen = createScreen(out, useColor);
  for (const line of INTRODUCTION) screen.say(line);
  const folder = temporaryFolder(screen);
  if (folder === undefined) return 1;
  const leftovers: Leftovers = { folder, isKept: false, child: undefined };
  cleanUpAtExit(leftovers, screen);
  try {
    return await play(options, screen, leftovers, startedMs);
  } catch (error) {
    leftovers.isKept = true;
    screen.settle();
    screen.say(`Failed: ${error instanceof Error ? error.message : error}\nThe demo's files: ${folder}`);
    return 1;
  }
}

/** Resources that must not outlive the demo, however it ends. */
interface Leftovers {
  folder: string;
  /** The log of a failure is kept for reading. */
  isKept: boolean;
  child: ControllerChild | undefined;
}

function temporaryFolder(screen: Screen): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), 'serin-demo-'));
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? error.code : error;
    screen.say(`Failed: cannot create a folder in ${tmpdir()} (${why}): set TMPDIR to a writable folder`);
    return undefined;
  }
}

/** A signal ends the demo at once: everything but the controller lives in this process. */
function cleanUpAtExit(leftovers: Leftovers, screen: Screen): void {
  process.once('exit', () => {
    void leftovers.child?.kill('SIGKILL');
    if (!leftovers.isKept) rmSync(leftovers.folder, { recursive: true, force: true });
  });
  const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
  for (const [signal, code] of Object.entries(signals))
    process.once(signal, () => {
      screen.settle();
      screen.say('Interrupted; nothing is left running.');
      process.exit(code);
    });
  // The reader may stop reading: `serin demo | head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));
}

async function play(options: DemoOptions, screen: Screen, leftovers: Leftovers, startedMs: number): Promise<number> {
  // The cluster is loaded after the first lines, so that the screen is never empty.
  const [{ startDemoCluster, APP, NAMESPACE }, { startDemoUsers: startUsers }, { followDemo }, { ControllerChild }] = await Promise.all([
    import('./demo-cluster.ts'),
    import('./users.ts'),
    import('./demo-frame.ts'),
    import('./controller-child.ts'),
  ]);
  const demo = await startDemoCluster(options.provider, leftovers.folder);
  const controller = new ControllerChild(demo);
  leftovers.child = controller;
  const users = startUsers(demo.embedded.mesh.urls, 3);
  const agent = 'serin-controller';
  const waypoints: Waypoint[] = [];
  const follower = followDemo(demo, users, ({ canaryWeight: weight, iterations }) => {
    const last = waypoints.at(-1);
    if (weight !== last?.weight || iterations !== last.iterations)
      waypoints.push({ weight, iterations, requests: demo.embedded.requestCounts(agent) });
  });
  const drawing = setInterval(() => screen.show(follower.frame()), FRAME_MS);

  let isKilled = false;
  const until = async (what: string, isSo: (status: CanaryStatus | undefined) => boolean): Promise<CanaryStatus> => {
    for (;;) {
      const status = follower.status();
      if (status && isSo(status)) return status;
      const ended = isKilled ? undefined : controller.endedBy();
      if (ended !== undefined) throw new Error(`the controller ended by itself (${ended})`);
      if (Date.now() - startedMs > BOUND_MS) throw new Error(`${what} did not happen within the demo's ${BOUND_MS / 1000} s`);
      await sleep(50);
    }
  };
  const canaryAnswers = () => {
    const answers = demo.embedded.mesh.counts().byWorkload[`${NAMESPACE}/${APP}`] ?? {};
    const errors = Object.entries(answers)
      .filter(([status]) => status >= '500')
      .reduce((sum, [, count]) => sum + count, 0);
    return { requests: Object.values(answers).reduce((sum, count) => sum + count, 0), errors };
  };
  const release = async (
    version: string,
    env: Record<string, string>,
    expected: ReleaseResult['expected'],
    during?: () => Promise<void>,
  ): Promise<ReleaseResult> => {
    const before = { ms: Date.now(), ...canaryAnswers(), run: follower.status()?.release?.run ?? 0 };
    let lastVerdicts: readonly Verdict[] = [];
    await demo.deploy(version, env);
    await until(`the release of version ${version}`, (status) => (status?.release?.run ?? 0) > before.run);
    await during?.();
    const end = await until(`a verdict on version ${version}`, (status) => {
      lastVerdicts = status?.release?.verdicts ?? lastVerdicts;
      return (status?.phase === 'Succeeded' || status?.phase === 'Failed') && status.release?.step === 'resting';
    });
    const after = canaryAnswers();
    const checks = lastVerdicts.map((v) => `${v.check} ${withUnit(v.value, v)} (${v.limit ?? 'no limit'}) ${v.verdict}`);
    return {
      version,
      expected,
      verdict: end.phase,
      why: checks.join('; ') || (end.release?.reason ?? 'all iterations passed'),
      seconds: Math.round((Date.now() - before.ms) / 100) / 10,
      exposure: { requests: after.requests - before.requests, errors: after.errors - before.errors },
    };
  };

  let failure: string | undefined;
  const results: ReleaseResult[] = [];
  let killCost: Summary['kill'] = { downMs: 0, weightBefore: 0, weightAfter: 0, iterationsBefore: 0, iterationsAfter: 0 };
  let atRest: Record<string, number> = {};
  try {
    follower.setAct('Start: version 1 gets its primary copy');
    controller.start();
    await until('the start', (status) => status?.phase === 'Initialized');
    await until('rest', () => follower.frame().canaryReady === '0/0');
    await sleep(1_000);
    const resting = demo.embedded.requestCounts(agent);
    await sleep(2_000);
    atRest = difference(demo.embedded.requestCounts(agent), resting);
    follower.setAct('Parts 1 and 2: version 2 is released; the controller is killed half-way');
    const isHalfWay = (status: CanaryStatus | undefined) => (status?.canaryWeight ?? 0) >= 40 || (status?.iterations ?? 0) >= 2;
    const killInTheMiddle = async () => {
      const middle = await until('the middle of the release', isHalfWay);
      const downFrom = Date.now();
      isKilled = true;
      await controller.kill('SIGKILL');
      screen.say(
        `  kill -9 of the controller${middle.canaryWeight > 0 ? ` at ${middle.canaryWeight} %` : ''}: the mesh keeps its last routes`,
      );
      await sleep(1_500);
      const during = follower.status();
      controller.start();
      isKilled = false;
      const next = await until(
        'a step after the kill',
        (status) =>
          status?.canaryWeight !== during?.canaryWeight || status?.phase !== during?.phase || status?.iterations !== during?.iterations,
      );
      killCost = {
        downMs: Date.now() - downFrom,
        weightBefore: middle.canaryWeight,
        weightAfter: next.canaryWeight,
        iterationsBefore: middle.iterations,
        iterationsAfter: next.iterations,
      };
    };
    results.push(await release('2', {}, 'Succeeded', killInTheMiddle));
    // Without a mesh no user reaches a version under test, so that only its readiness counts.
    const isMeshless = options.provider === 'kubernetes';
    follower.setAct(isMeshless ? 'Part 3: version 3 never becomes ready' : 'Part 3: version 3 fails 5 % of its requests and is slow');
    const bad: Record<string, string> = isMeshless ? { NEVER_READY: 'true' } : { ERROR_RATE: '0.05', LATENCY_MS: '600' };
    results.push(await release('3', bad, 'Failed'));
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  clearInterval(drawing);
  screen.show(follower.frame());
  screen.settle();
  const { lost, lastLost } = users.counts();
  failure ??= results.find(({ verdict, expected }) => verdict !== expected) && 'a release ended with another result than expected';
  failure ??= lost > 0 ? `${lost} requests were lost (${lastLost})` : undefined;
  leftovers.isKept = failure !== undefined;
  const summary: Summary = {
    provider: options.provider,
    ok: failure === undefined,
    ...(failure === undefined ? {} : { failure }),
    releases: results,
    kill: killCost,
    requestsLost: lost,
    apiRequests: { atRestIn2s: atRest, perStep: smallestStep(waypoints) },
    seconds: Math.round((Date.now() - startedMs) / 100) / 10,
    ...(leftovers.isKept || options.keep ? { log: controller.logFile } : {}),
  };
  if (options.json) process.stdout.write(`${JSON.stringify(summary, undefined, 2)}\n`);
  else for (const line of inWords(summary, process.env.npm_lifecycle_event === 'demo')) screen.say(line);
  follower.stop();
  if (options.keep) {
    screen.say(`The cluster runs until Ctrl-C:\nexport KUBECONFIG=${demo.kubeconfigFile}`);
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal).once(signal, () => resolve());
    });
  }
  await users.stop();
  await controller.kill('SIGTERM');
  await demo.stop();
  return summary.ok ? 0 : 1;
}
