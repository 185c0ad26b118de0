import { setTimeout as sleep } from 'node:timers/promises';
import type { CanaryStatus, Verdict } from '../../api/canary-status.ts';
import { endingOf } from '../../api/ending.ts';
import { isResting } from '../../api/step.ts';
import { type OpenDashboard, openDashboard, openInBrowser } from '../dashboard/open-dashboard.ts';
import { ownCall } from '../own-program.ts';
import { ControllerChild } from './controller-child.ts';
import { APP, type DemoCluster, NAMESPACE, startDemoCluster } from './demo-cluster.ts';
import { followDemo } from './demo-frame.ts';
import { type DemoOptions, endingSignals, type Leftovers } from './demo-options.ts';
import { keptLines, nextLines } from './next-commands.ts';
import { type Screen, withUnit } from './screen.ts';
import { difference, inWords, type ReleaseResult, type Summary, smallestStep, unexpectedEnd, type Waypoint } from './summary.ts';
import { type DemoUsers, startDemoUsers } from './users.ts';

/** A minute is usual; a machine that is busy with other work needs more. */
const BOUND_MS = 180_000;
const FRAME_MS = 250;
/** Half an interval. */
const STEP_ENDS_AFTER_MS = 500;
const AGENT = 'serin-controller';

/** Runs the three parts and prints the summary; the exit code is 0 only if every release ended as expected and no request was lost. */
export async function runDemo(options: DemoOptions, screen: Screen, leftovers: Leftovers, startedMs: number): Promise<number> {
  const cluster = await startDemoCluster(options.provider, leftovers.folder);
  const dashboard = options.open ? await showDashboard(cluster, screen) : undefined;
  const isKept = options.keep || options.open;
  const controller = new ControllerChild(cluster);
  leftovers.child = controller;
  const users = startDemoUsers(cluster.embedded.mesh.urls, 3);
  const run = new DemoRun({ cluster, controller, users, screen, startedMs });
  const bad = options.provider === 'kubernetes' ? unready : slowAndFaulty;
  const failure = await run.parts(bad);
  leftovers.isKept = failure !== undefined;
  const summary: Summary = {
    provider: options.provider,
    ok: failure === undefined,
    ...(failure === undefined ? {} : { failure }),
    ...run.figures(),
    seconds: secondsSince(startedMs),
    ...(leftovers.isKept || isKept ? { log: controller.logFile } : {}),
  };
  if (options.json) process.stdout.write(`${JSON.stringify(summary, undefined, 2)}\n`);
  else for (const line of inWords(summary)) screen.say(line);
  run.stop();
  const call = ownCall(process.argv[1] ?? '', process.cwd());
  if (isKept) {
    for (const line of keptLines(call, cluster.kubeconfigFile, Object.keys(bad.env))) screen.say(line);
    await new Promise<void>((resolve) => {
      // A second signal does not wait for the end of the first one's work.
      for (const [signal, code] of Object.entries(endingSignals))
        process
          .removeAllListeners(signal)
          .once(signal, () => resolve())
          .once(signal, () => process.once(signal, () => process.exit(code)));
    });
  } else if (summary.ok && !options.json) for (const line of nextLines(call, call.endsWith('main.ts'))) screen.say(line);
  await dashboard?.stop();
  await users.stop();
  await controller.kill('SIGTERM');
  await cluster.stop();
  return summary.ok ? 0 : 1;
}

/** The page is served before the first part, so that all parts are seen in it. */
async function showDashboard({ embedded: { cluster } }: DemoCluster, screen: Screen): Promise<OpenDashboard> {
  const dashboard = await openDashboard({ cluster, namespace: NAMESPACE }, { port: 0, meshProvider: 'istio' });
  screen.say('Dashboard, for one browser and once:');
  screen.say(`  ${dashboard.address}`);
  openInBrowser(dashboard.address, (line) => screen.say(line));
  return dashboard;
}

interface BadVersion {
  what: string;
  env: Readonly<Record<string, string>>;
}

/** Its errors are counted and not random: a release that is rolled back early also has some. */
const slowAndFaulty: BadVersion = { what: 'is slow and fails every fifth request', env: { ERROR_EVERY: '5', LATENCY_MS: '600' } };
/** Without a mesh no user reaches a version under test, so that only its readiness counts. */
const unready: BadVersion = { what: 'never becomes ready', env: { NEVER_READY: 'true' } };

const secondsSince = (ms: number): number => Math.round((Date.now() - ms) / 100) / 10;

interface DemoRunDeps {
  cluster: DemoCluster;
  controller: ControllerChild;
  users: DemoUsers;
  screen: Screen;
  startedMs: number;
}

/** The three parts: a good release, a kill of the controller in its middle, and a bad release. */
class DemoRun {
  readonly #deps: DemoRunDeps;
  readonly #follower: ReturnType<typeof followDemo>;
  readonly #drawing: NodeJS.Timeout;
  readonly #waypoints: Waypoint[] = [];
  readonly #results: ReleaseResult[] = [];
  #killCost: Summary['kill'] = { downMs: 0, weightBefore: 0, weightAfter: 0, iterationsBefore: 0, iterationsAfter: 0 };
  #idleRequests: Record<string, number> = {};
  #isKilled = false;

  constructor(deps: DemoRunDeps) {
    const { cluster, users, screen } = deps;
    this.#deps = deps;
    this.#follower = followDemo(cluster, users, ({ canaryWeight: weight, iterations }) => {
      const last = this.#waypoints.at(-1);
      if (weight === last?.weight && iterations === last.iterations) return;
      const reached: Waypoint = { weight, iterations, requests: cluster.embedded.requestCounts(AGENT) };
      this.#waypoints.push(reached);
      // The routes and the event of a step come after its status.
      setTimeout(() => {
        reached.requests = cluster.embedded.requestCounts(AGENT);
      }, STEP_ENDS_AFTER_MS).unref();
    });
    this.#drawing = setInterval(() => screen.show(this.#follower.frame()), FRAME_MS);
  }

  /** Returns the reason if the demo failed. */
  async parts(bad: BadVersion): Promise<string | undefined> {
    const { screen, users } = this.#deps;
    let failure: string | undefined;
    try {
      await this.#start();
      this.#follower.setAct('Parts 1 and 2: version 2 is released; the controller is killed half-way');
      this.#results.push(await this.#release('2', {}, 'Succeeded', () => this.#killInTheMiddle()));
      this.#follower.setAct(`Part 3: version 3 ${bad.what}`);
      this.#results.push(await this.#release('3', bad.env, 'Failed'));
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    clearInterval(this.#drawing);
    screen.show(this.#follower.frame());
    screen.settle();
    const { lost, lastLost } = users.counts();
    return failure ?? unexpectedEnd(this.#results) ?? (lost > 0 ? `${lost} requests were lost (${lastLost})` : undefined);
  }

  figures(): Pick<Summary, 'releases' | 'kill' | 'requestsLost' | 'apiRequests'> {
    return {
      releases: this.#results,
      kill: this.#killCost,
      requestsLost: this.#deps.users.counts().lost,
      apiRequests: { atRestIn2s: this.#idleRequests, perStep: smallestStep(this.#waypoints) },
    };
  }

  stop(): void {
    this.#follower.stop();
  }

  async #start(): Promise<void> {
    const { cluster, controller } = this.#deps;
    this.#follower.setAct('Start: version 1 gets its primary copy');
    controller.start();
    await this.#until('the start', (status) => status?.phase === 'Initialized');
    await this.#until('the scale-down of the canary', () => this.#follower.frame().canaryReady === '0/0');
    await sleep(1_000);
    const before = cluster.embedded.requestCounts(AGENT);
    await sleep(2_000);
    this.#idleRequests = difference(cluster.embedded.requestCounts(AGENT), before);
  }

  async #until(what: string, isSo: (status: CanaryStatus | undefined) => boolean): Promise<CanaryStatus> {
    for (;;) {
      const status = this.#follower.status();
      if (status && isSo(status)) return status;
      const ended = this.#isKilled ? undefined : this.#deps.controller.endedBy();
      if (ended !== undefined) throw new Error(`the controller ended by itself (${ended})`);
      if (Date.now() - this.#deps.startedMs > BOUND_MS) throw new Error(`${what} did not happen within the demo's ${BOUND_MS / 1000} s`);
      await sleep(50);
    }
  }

  /** Answers of the target's pods, and the errors among them. */
  #canaryAnswers(): { requests: number; errors: number } {
    const answers = Object.entries(this.#deps.cluster.embedded.mesh.counts().byWorkload[`${NAMESPACE}/${APP}`] ?? {});
    const sum = (counted: typeof answers) => counted.reduce((total, [, count]) => total + count, 0);
    return { requests: sum(answers), errors: sum(answers.filter(([status]) => status >= '500')) };
  }

  async #release(
    version: string,
    env: Readonly<Record<string, string>>,
    expected: ReleaseResult['expected'],
    during?: () => Promise<void>,
  ): Promise<ReleaseResult> {
    const before = { ms: Date.now(), ...this.#canaryAnswers(), run: this.#follower.status()?.release?.run ?? 0 };
    let lastVerdicts: readonly Verdict[] = [];
    await this.#deps.cluster.deploy(version, env);
    await this.#until(`the release of version ${version}`, (status) => (status?.release?.run ?? 0) > before.run);
    await during?.();
    const end = await this.#until(`a verdict on version ${version}`, (status) => {
      lastVerdicts = status?.release?.verdicts ?? lastVerdicts;
      return (status?.phase === 'Succeeded' || status?.phase === 'Failed') && isResting(status.release);
    });
    await this.#said(end.phase);
    const ending = end.release && endingOf(end.phase, end.release);
    const after = this.#canaryAnswers();
    const isFailed = end.phase === 'Failed';
    const checks = (isFailed ? (ending?.checks ?? []) : lastVerdicts).map(
      (v) => `${v.check} ${withUnit(v.value, v)} (${v.limit ?? 'no limit'}) ${v.verdict}`,
    );
    return {
      version,
      expected,
      verdict: end.phase,
      why: checks.join('; ') || (isFailed && ending?.detail) || 'all iterations passed',
      seconds: secondsSince(before.ms),
      exposure: { requests: after.requests - before.requests, errors: after.errors - before.errors },
    };
  }

  /** The event of a release's end comes after its status; a lost event holds nothing up. */
  async #said(reason: string): Promise<void> {
    const isSaid = () => this.#follower.frame().events.at(-1)?.startsWith(`${reason}: `);
    for (let looks = 0; looks < 20 && !isSaid(); looks += 1) await sleep(50);
    this.#deps.screen.show(this.#follower.frame());
  }

  async #killInTheMiddle(): Promise<void> {
    const { controller, screen } = this.#deps;
    const isHalfWay = (status: CanaryStatus | undefined) => (status?.canaryWeight ?? 0) >= 40 || (status?.iterations ?? 0) >= 2;
    const middle = await this.#until('the middle of the release', isHalfWay);
    const downFrom = Date.now();
    this.#isKilled = true;
    await controller.kill('SIGKILL');
    screen.say(`  kill -9 of the controller${middle.canaryWeight > 0 ? ` at ${middle.canaryWeight}%` : ''}: its routes stay unchanged`);
    await sleep(1_500);
    const during = this.#follower.status();
    controller.start();
    this.#isKilled = false;
    const next = await this.#until(
      'a step after the kill',
      (status) =>
        status?.canaryWeight !== during?.canaryWeight || status?.phase !== during?.phase || status?.iterations !== during?.iterations,
    );
    this.#killCost = {
      downMs: Date.now() - downFrom,
      weightBefore: middle.canaryWeight,
      weightAfter: next.canaryWeight,
      iterationsBefore: middle.iterations,
      iterationsAfter: next.iterations,
    };
  }
}
