import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Files that `npm test` runs, and the fakes under it. The suites of `test/scenarios` wait in the world that they play in: `scenario-waits.test.ts`. */
const files = globSync(['src/**/*.test.ts', 'test/*.test.ts', 'test/{contracts,golden,differential,integration,fakes}/**/*.ts'])
  // `cluster` and `run` are those of `npm run test:differential`; the others are tests of texts like these.
  .filter((path) => !/^test\/(differential\/(cluster|run)\/|(no-timed-assertions|real-time|scenario-waits)\.test\.ts$)/.test(path));
const MINUTE_MS = 60_000;

interface Rule {
  /** The pattern's number, if it has one, is in milliseconds, and breaks the rule below a minute. */
  pattern: RegExp;
  /** Files that may, each with the reason why no result depends on how busy the machine is. */
  but: Readonly<Record<string, string>>;
}

const rules: Readonly<Record<string, Rule>> = {
  'asks what time it is: a clock of the test says so (`test/fakes/clock.ts`)': {
    pattern: /\bDate\.now\b|\bperformance\.now\b|\bhrtime\b|\bcpuUsage\b|new Date\(\)|\bsystemClock\.(?:nowMs|monotonicMs)\b/,
    but: {
      'test/differential/recording/journal.ts': 'its default is for the real cluster',
      'test/e2e-binaries.integration.test.ts': 'gives a lock file a time that is long ago',
      'test/fakes/fuzz.ts': 'how long to go on; once where no time is given, as in `npm test`',
      'test/node-users.integration.test.ts': 'the order of events, each of which causes the next one',
    },
  },
  'waits for a time to pass: a condition is waited for (`expect.poll`, `test/scenarios/eventually.ts`)': {
    pattern: /\bset(?:Timeout|Interval)\(|\bsetTimeout\b[^;]*from 'node:timers\/promises'/,
    but: {
      'src/embedded/virtual/virtual-clock.test.ts': 'virtual time stands meanwhile, however long it takes',
      'src/kube/connect.integration.test.ts': 'a plugin that hangs until it is killed',
      'src/loadtester/process-program.integration.test.ts': 'a process that holds its memory until it is killed',
      'test/contracts/outages/kinds.ts': 'a server that sends a byte now and then, and never ends',
      'test/release-session.integration.test.ts': 'a server that lives until it is ended',
    },
  },
  'waits by what gives up after a second': { pattern: /\bvi\.wait(?:For|Until)\b/, but: {} },
  'ends before a minute is over: a bound guards against hanging only': {
    pattern: /\b(?:timeout|testTimeout|hookTimeout): ([\d_]+)\b(?! \*)|\bAbortSignal\.timeout\(([\d_]+)\)|^\}, ([\d_]+)\);$/m,
    but: {},
  },
  'has a deadline that a busy machine can miss': {
    pattern: /\b(?:\w*[tT]imeoutMs|withinMs|patienceMs|silentMs|headersMs|requestMs)(?:: number)?(?::| =) ([\d_]+)\b(?! \*)/,
    but: {
      'src/cli/completion/cluster-names.integration.test.ts': 'has to pass: nothing is answered',
      'src/dashboard/dashboard-attacks.integration.test.ts': 'has to pass: headers and a body never end',
      'src/embedded/mesh/gateway-api.test.ts': 'read from a route, not waited for',
      'src/embedded/mesh/http-proxy.test.ts': 'read from a route, not waited for',
      'src/kube/connect.integration.test.ts': 'passes by a clock of the test',
      'src/kube/create-cluster.integration.test.ts': 'has to pass: the body never ends',
      'src/loadtester/hey.integration.test.ts': 'read from options, not waited for',
      'src/loadtester/tasks.test.ts': 'has to pass: the task never ends',
      'src/metrics/providers/prometheus.integration.test.ts': 'has to pass: nothing is answered',
      'src/metrics/providers/splunk.integration.test.ts': 'has to pass: nothing is answered',
      'src/server/http-server.integration.test.ts': 'has to pass: headers never end',
      'test/contracts/loadtester/hostile.integration.test.ts': 'have to pass: a request and a task that never end',
      'test/contracts/metric-backends.integration.test.ts': 'has to pass: the answer never comes',
      'test/contracts/notifiers.integration.test.ts': 'has to pass: nothing is answered',
      'test/contracts/outages/kinds.ts': 'have to pass, or the failure comes first and is awaited, too',
      'test/integration/live-views.test.ts': 'passes in virtual time',
    },
  },
};

const breaks = ({ pattern }: Rule, text: string): boolean =>
  [...text.matchAll(new RegExp(pattern, `g${pattern.flags}`))].some((found) => {
    const ms = found.slice(1).find((number) => number !== undefined);
    return ms === undefined || Number(ms.replaceAll('_', '')) < MINUTE_MS;
  });

describe('a machine with other things to do changes no result: no test', () => {
  it('is left out', () => expect(files.length).toBeGreaterThan(700));

  it.each(Object.entries(rules))('%s', (_, rule) => {
    expect(files.filter((path) => breaks(rule, readFileSync(path, 'utf8'))).sort()).toEqual(Object.keys(rule.but).sort());
  });
});
