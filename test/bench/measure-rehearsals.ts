/**
 * How long rehearsals take, and which of the mistakes that people make `validate` and `rehearse` find: `node test/bench/measure-rehearsals.ts`.
 * Prints lines of JSON; nothing is asserted. A number limits the mistakes that are tried.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { RehearsalReport } from '../../src/cli/rehearse/rehearsal-report.ts';
import { runRehearse } from '../../src/cli/rehearse/rehearse-command.ts';
import { canaryIn, example } from '../suite/rehearsals.ts';
import { misconfigurations } from './misconfigurations.ts';

const BASES = [
  ...['istio-canary.yaml', 'autoscaled.yaml', 'gateway-api.yaml', 'smi-canary.yaml', 'ab-testing.yaml'],
  ...['config-tracking.yaml', 'load-tester.yaml', 'metric-template.yaml', 'daemon-set.yaml', 'blue-green.yaml'],
];
const folder = mkdtempSync(join(tmpdir(), 'serin-bench-'));
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function reportOf(objects: readonly KubeObject[], scenario: string, matrix = false): Promise<RehearsalReport> {
  const file = join(folder, 'manifests.yaml');
  writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
  let out = '';
  const streams = { out: { write: (text: string | Uint8Array) => (out += text) }, err: { write: (text: string) => (out += text) } };
  await runRehearse([file], { scenario, matrix, seed: '1', rate: '10', output: 'json' }, { env: {}, streams });
  return JSON.parse(out);
}

/** Rules that find something; a mistake of the sound manifests is none of the edit's. */
const rulesOf = ({ mistakes }: RehearsalReport): string[] => mistakes.map(({ rule, field, scenario }) => [rule, field, scenario].join(' '));

const anHour = example('istio-canary.yaml', ({ spec }) => {
  Object.assign(spec.analysis, { interval: '2m', stepWeight: 2, maxWeight: 56 });
});
for (const [name, objects, matrix] of [
  ['one hour', anHour, false],
  ['matrix', example('istio-canary.yaml'), true],
] as const) {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const { rehearsals } = await reportOf(objects, 'good', matrix);
  const { user, system } = process.cpuUsage(cpu);
  const virtualSeconds = rehearsals.reduce((sum, { seconds }) => sum + seconds.total, 0);
  print({
    name,
    rehearsals: rehearsals.length,
    virtualSeconds,
    wallMs: Math.round(performance.now() - startedMs),
    cpuMs: Math.round((user + system) / 1000),
  });
}

let left = Number(process.argv[2] ?? 200);
const totals = { tried: 0, byValidate: 0, byRehearse: 0, byEither: 0 };
const SCENARIOS = ['good', 'bad-5xx', 'slow'];
const sound = new Map<string, Set<string>>();
for (const base of BASES)
  for (const { name, edit } of misconfigurations) {
    const objects = example(base);
    if (left <= 0 || !objects.some(({ kind }) => kind === 'Canary') || !edit(canaryIn(objects), objects)) continue;
    left -= 1;
    const found = { validate: false, rehearse: '' };
    for (const scenario of SCENARIOS) {
      if (found.rehearse !== '') continue;
      const key = `${base} ${scenario}`;
      const known = sound.get(key) ?? new Set(rulesOf(await reportOf(example(base), scenario)));
      sound.set(key, known);
      const fresh = rulesOf(await reportOf(objects, scenario)).filter((rule) => !known.has(rule));
      found.validate ||= fresh.some((rule) => rule.startsWith('validate'));
      found.rehearse = fresh.find((rule) => !rule.startsWith('validate')) ?? '';
    }
    totals.tried += 1;
    totals.byValidate += Number(found.validate);
    totals.byRehearse += Number(found.rehearse !== '');
    totals.byEither += Number(found.validate || found.rehearse !== '');
    print({ mistake: name, base, ...found });
  }
print(totals);
rmSync(folder, { recursive: true, force: true });
