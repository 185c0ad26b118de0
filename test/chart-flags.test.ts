import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Flags without a value of the chart, and why; `extraArgs` takes any. */
const withoutValue = {
  controller: {
    kubeconfig: 'the account of the pod is what it is',
    master: 'the same',
    namespace: 'namespaces says it, too',
    'min-analysis-interval': 'its default is what people expect; extraArgs',
    'scale-down-delay': 'a matter of the proxies, seldom changed; extraArgs',
    'event-webhook': 'kept in a Secret, and read from the environment',
    'slack-url': 'the same',
    'msteams-url': 'the same',
    'slack-token': 'a secret of yours, given by env',
    port: 'of a container of its own',
    'lease-duration': 'the defaults suit most clusters; extraArgs',
    'renew-deadline': 'the same',
    'api-server-timeout': 'its default suits a pod that is restarted; extraArgs',
    'retry-period': 'the same',
  },
  loadtester: {
    host: 'all addresses of the pod',
    'max-tasks': 'the limits of the pod come first; extraArgs',
    'max-tasks-per-canary': 'the same',
    'max-processes': 'the same',
    'max-memory': 'the same',
    'max-output': 'the same',
    grace: 'follows terminationGracePeriodSeconds; extraArgs',
    'allow-local-addresses': 'for trials on one machine',
  },
} as const;

const flagsIn = (text: string): string[] => [...new Set([...text.matchAll(/(?<=[\s"]|^)--([a-z][a-z-]+)/gm)].map(([, name = '']) => name))];

describe('flags and values of the charts', () => {
  it.each([
    { command: 'controller', chart: 'serin' },
    { command: 'loadtester', chart: 'loadtester' },
  ] as const)('06-F10: every flag of serin $command has a value in charts/$chart, or a reason', async ({ command, chart }) => {
    const main = join(ROOT, 'src', 'cli', 'main.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [main, command, '--help']);
    const known = flagsIn(stdout.replaceAll(/^ +-h, --help.*$/gm, '')).filter((flag) => stdout.includes(`  --${flag} `));
    const rendered = flagsIn(readFileSync(join(ROOT, 'charts', chart, 'templates', '_args.tpl'), 'utf8'));
    expect(
      rendered.filter((flag) => !known.includes(flag)),
      'flags that the command does not know',
    ).toEqual([]);
    expect(known.filter((flag) => !rendered.includes(flag)).toSorted(), 'flags without a value').toEqual(
      Object.keys(withoutValue[command]).toSorted(),
    );
  });
});
