import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { flagEntries, writtenName } from '../src/controller/flags.ts';

const ROOT = join(import.meta.dirname, '..');

/** Flags without a value of the chart, and why; `extraArgs` takes any. `namespace` is in `namespaces`. */
const withoutValue = {
  controller: Object.fromEntries(
    flagEntries.flatMap(([name, { chart, isHidden }]) => (isHidden || typeof chart === 'string' ? [] : [[writtenName(name), chart.none]])),
  ),
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
};

const template = (chart: string, name: string): string => readFileSync(join(ROOT, 'charts', chart, 'templates', name), 'utf8');

const flagsIn = (text: string): string[] => [...new Set([...text.matchAll(/(?<=[\s"]|^)--([a-z][a-z-]+)/gm)].map(([, name = '']) => name))];

describe('flags and values of the charts', () => {
  it.each([
    { command: 'controller', chart: 'serin' },
    { command: 'loadtester', chart: 'loadtester' },
  ] as const)('every flag of serin $command has a value in charts/$chart, or a reason', async ({ command, chart }) => {
    const main = join(ROOT, 'src', 'cli', 'main.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [main, command, '--help']);
    const known = flagsIn(stdout.replaceAll(/^ +-h, --help.*$/gm, '')).filter((flag) => stdout.includes(`  --${flag} `));
    const rendered = flagsIn(template(chart, '_args.tpl'));
    expect(
      rendered.filter((flag) => !known.includes(flag)),
      'flags that the command does not know',
    ).toEqual([]);
    expect(known.filter((flag) => !rendered.includes(flag)).toSorted(), 'flags without a value').toEqual(
      [...Object.keys(withoutValue[command]), ...(command === 'controller' ? ['namespace'] : [])].toSorted(),
    );
  });

  it('every value that a flag of the controller names is in the chart', () => {
    interface Schema {
      properties?: Record<string, Schema>;
    }
    const schema: Schema = JSON.parse(readFileSync(join(ROOT, 'charts', 'serin', 'values.schema.json'), 'utf8'));
    const at = (path: string) => path.split('.').reduce<Schema | undefined>((found, key) => found?.properties?.[key], schema);
    const named = flagEntries.flatMap(([, { chart }]) => (typeof chart === 'string' ? [chart] : []));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => at(path) === undefined)).toEqual([]);
  });

  it('each flag of the controller takes its argument from the value that it names', () => {
    const lines = template('serin', '_args.tpl').split('\n');
    const wrong = flagEntries.flatMap(([name, { chart }]) => {
      const at = lines.findIndex((line) => flagsIn(line).includes(writtenName(name)));
      if (typeof chart !== 'string' || at === -1) return [];
      // A line without a value of its own takes it from the condition above it.
      const isOwn = /\.Values|include "/.test(lines[at] ?? '');
      const first = isOwn ? at : lines.findLastIndex((line, index) => index < at && /^\{\{- (?:if|with|range) /.test(line));
      const key = chart.split('.').at(-1) ?? chart;
      const helper = `"serin.${chart.replaceAll(/\.(.)/g, (_, letter: string) => letter.toUpperCase())}"`;
      const text = lines.slice(first, at + 1).join('\n');
      return new RegExp(`\\.${key}\\b`).test(text) || text.includes(helper) ? [] : [`--${writtenName(name)} has to take ${chart}: ${text}`];
    });
    expect(wrong).toEqual([]);
  });

  it('names, labels and image are the same in both charts, but for the label that selects', () => {
    const [serin, loadtester] = ['serin', 'loadtester'].map((chart) =>
      template(chart, '_names.tpl')
        .replaceAll(`"${chart}.`, '"NAME.')
        .replaceAll(/^.*can never select by another label.*\n/gm, '')
        .replace(/^(app|app\.kubernetes\.io\/name): \{\{ include "NAME\.name" \. \}\}$/m, 'SELECTOR'),
    );
    expect(serin).toContain('SELECTOR');
    expect(loadtester).toBe(serin);
  });
});
