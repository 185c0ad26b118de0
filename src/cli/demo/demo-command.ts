import { setTimeout as sleep } from 'node:timers/promises';
import type { CanaryStatus, Verdict } from '../../api/canary-status.ts';
import { createScreen } from './screen.ts';
import type { DemoProvider } from './stage.ts';

const INTRODUCTION = [
  'Serin demo: three acts on a cluster inside this process.',
  'Real: the controller, its API calls, HTTP requests, metrics and queries.',
  'Simulated: pods are small HTTP servers; mesh and Prometheus are Serin’s own.',
  'Checks run every 1 s here (--min-analysis-interval); users have 10 s or more.',
];
const BOUND_MS = 55_000;
const FRAME_MS = 250;

export interface DemoOptions {
  provider: DemoProvider;
  keep: boolean;
  json: boolean;
}

/** What one release came to. */
interface ReleaseResult {
  version: string;
  expected: 'Succeeded' | 'Failed';
  verdict: string;
  why: string;
  seconds: number;
  /** Requests that the new version answered before it was promoted or taken back, and the errors it made. */
  exposure: { requests: number; errors: number };
}

/** Three acts on a cluster in this process; exit code 0 only if version 2 was promoted, 3 taken back, and no request was lost. */
export async function demoCommand(options: DemoOptions): Promise<number> {
  const startedMs = Date.now();
  const out = options.json ? process.stderr : process.stdout;
  const useColor = out.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  const screen = createScreen(out, useColor);
  for (const line of INTRODUCTION) screen.say(line);
  // The cluster is loaded after the first lines: a newcomer should not look at nothing.
  const [{ setStage, APP, NAMESPACE }, { startUsers }, { followScene }, { ControllerChild }] = await Promise.all([
    import('./stage.ts'),
    import('./users.ts'),
    import('./scene.ts'),
    import('./controller-child.ts'),
  ]);
  const stage = await setStage(options.provider);
  const controller = new ControllerChild(stage);
  process.once('exit', () => controller.pid !== undefined && !options.keep && void controller.kill('SIGKILL'));
  const users = startUsers(stage.embedded.mesh.urls, 3);
  const agent = 'serin-controller';
  const weights: { weight: number; requests: Record<string, number> }[] = [];
  const follower = followScene(stage, users, (status) => {
    if (status.canaryWeight !== weights.at(-1)?.weight)
      weights.push({ weight: status.canaryWeight, requests: stage.embedded.requestCounts(agent) });
  });
  const drawing = setInterval(() => screen.show(follower.scene()), FRAME_MS);

  const until = async (what: string, isSo: (status: CanaryStatus | undefined) => boolean): Promise<CanaryStatus> => {
    for (;;) {
      const status = follower.status();
      if (status && isSo(status)) return status;
      if (Date.now() - startedMs > BOUND_MS) throw new Error(`${what} did not happen within the demo's ${BOUND_MS / 1000} s`);
      await sleep(50);
    }
  };
  const canaryAnswers = () => {
    const answers = stage.embedded.mesh.counts().byWorkload[`${NAMESPACE}/${APP}`] ?? {};
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
    await stage.deploy(version, env);
    await until(`the release of version ${version}`, (status) => (status?.release?.run ?? 0) > before.run);
    await during?.();
    const end = await until(`a verdict on version ${version}`, (status) => {
      lastVerdicts = status?.release?.verdicts ?? lastVerdicts;
      return (status?.phase === 'Succeeded' || status?.phase === 'Failed') && status.release?.step === 'resting';
    });
    const after = canaryAnswers();
    const checks = lastVerdicts.map(
      (v) => `${v.check} ${v.value === undefined ? '-' : Math.round(v.value * 100) / 100} (${v.limit ?? 'no limit'})`,
    );
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
  let killCost = { downMs: 0, weightBefore: 0, weightAfter: 0 };
  let atRest: Record<string, number> = {};
  try {
    follower.setAct('Overture: version 1 gets its primary copy');
    controller.start();
    await until('the start', (status) => status?.phase === 'Initialized');
    await until('rest', () => follower.scene().canaryReady === '0/0');
    await sleep(1_000);
    const resting = stage.embedded.requestCounts(agent);
    await sleep(2_000);
    atRest = difference(stage.embedded.requestCounts(agent), resting);
    follower.setAct('Acts 1 and 2: version 2 is released; the controller is killed on the way');
    const isHalfWay = (status: CanaryStatus | undefined) => (status?.canaryWeight ?? 0) >= 40 || (status?.iterations ?? 0) >= 2;
    const killInTheMiddle = async () => {
      const middle = await until('the middle of the release', isHalfWay);
      const downFrom = Date.now();
      await controller.kill('SIGKILL');
      screen.say(`  kill -9 of the controller at ${middle.canaryWeight} %: the mesh goes on as it was told`);
      await sleep(1_500);
      const during = follower.status();
      controller.start();
      const next = await until(
        'a step after the kill',
        (status) =>
          status?.canaryWeight !== during?.canaryWeight || status?.phase !== during?.phase || status?.iterations !== during?.iterations,
      );
      killCost = { downMs: Date.now() - downFrom, weightBefore: middle.canaryWeight, weightAfter: next.canaryWeight };
    };
    results.push(await release('2', {}, 'Succeeded', killInTheMiddle));
    follower.setAct('Act 3: version 3 fails 5 % of its requests and is slow');
    const bad: Record<string, string> =
      options.provider === 'kubernetes' ? { NEVER_READY: 'true' } : { ERROR_RATE: '0.05', LATENCY_MS: '300' };
    if (options.provider === 'kubernetes') {
      screen.say('  no mesh, so no user meets a version under test: 3 never becomes ready');
    }
    results.push(await release('3', bad, 'Failed'));
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  clearInterval(drawing);
  screen.show(follower.scene());
  screen.settle();
  const { lost, lastLost } = users.counts();
  failure ??= results.find(({ verdict, expected }) => verdict !== expected) && 'a release did not end as it should have';
  failure ??= lost > 0 ? `${lost} requests were lost (${lastLost})` : undefined;
  const summary = {
    provider: options.provider,
    ok: failure === undefined,
    ...(failure === undefined ? {} : { failure }),
    releases: results,
    kill: killCost,
    requestsLost: lost,
    apiRequests: { atRestIn2s: atRest, perStep: smallestStep(weights) },
    seconds: Math.round((Date.now() - startedMs) / 100) / 10,
    log: controller.logFile,
  };
  if (options.json) process.stdout.write(`${JSON.stringify(summary, undefined, 2)}\n`);
  else for (const line of inWords(summary)) screen.say(line);
  follower.stop();
  if (options.keep) {
    screen.say(`The cluster stays up until Ctrl-C:\nexport KUBECONFIG=${stage.kubeconfigFile}`);
    await new Promise((resolve) => process.once('SIGINT', resolve));
  }
  await users.stop();
  await controller.kill('SIGTERM');
  await stage.stop();
  return summary.ok ? 0 : 1;
}

interface Summary {
  ok: boolean;
  failure?: string;
  releases: readonly ReleaseResult[];
  kill: { downMs: number; weightBefore: number; weightAfter: number };
  requestsLost: number;
  apiRequests: { atRestIn2s: Record<string, number>; perStep: Record<string, number> };
  seconds: number;
  log: string;
}

function inWords({ ok, failure, releases, kill, requestsLost, apiRequests, seconds, log }: Summary): string[] {
  const column = (label: string, of: (release: ReleaseResult) => string) =>
    `  ${label.padEnd(11)}${releases.map((release) => of(release).slice(0, 32).padEnd(34)).join('')}`.trimEnd();
  const told = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ') || 'none';
  return [
    '',
    column('', ({ version }) => `version ${version}`),
    column('verdict', ({ verdict }) => (verdict === 'Succeeded' ? 'promoted' : 'taken back')),
    column('took', (release) => `${release.seconds} s`),
    column('exposure', ({ exposure }) => `${exposure.requests} requests, ${exposure.errors} errors`),
    ...releases.flatMap(({ version, why }) =>
      why.split('; ').map((each, index) => `  ${(index === 0 ? `why ${version}` : '').padEnd(11)}${each}`),
    ),
    `  kill -9    ${(kill.downMs / 1000).toFixed(1)} s until the next step; weight ${kill.weightBefore} % when killed, ${kill.weightAfter} % next`,
    `  lost       ${requestsLost} requests lost by Serin`,
    `  API        requests in 2 s at rest: ${told(apiRequests.atRestIn2s)}`,
    '             for a step:',
    `             ${told(apiRequests.perStep)}`,
    `  took       ${seconds} s in all`,
    '',
    ...(ok
      ? [
          'Try next:',
          '  npm run demo -- --keep            look at it with kubectl',
          '  npm run demo -- --provider smi    the same over a TrafficSplit',
          '  node src/cli/main.ts validate -f examples',
        ]
      : [`Failed: ${failure}`, `The controller's log: ${log}`]),
  ];
}

function difference(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([what, count]) => [what, count - (before[what] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}

/** Between two weights lies one step; the cheapest one is a step in which nothing else happened. */
function smallestStep(weights: readonly { weight: number; requests: Record<string, number> }[]): Record<string, number> {
  const steps = weights.slice(1).map((each, index) => ({
    rise: each.weight - (weights[index]?.weight ?? 0),
    cost: difference(each.requests, weights[index]?.requests ?? {}),
  }));
  const size = (cost: Record<string, number>) => Object.values(cost).reduce((sum, count) => sum + count, 0);
  return steps.filter(({ rise, cost }) => rise > 0 && size(cost) > 0).toSorted((a, b) => size(a.cost) - size(b.cost))[0]?.cost ?? {};
}
