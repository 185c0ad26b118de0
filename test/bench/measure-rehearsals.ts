/**
 * Duration of rehearsals, and findings of `validate` and `rehearse` for common mistakes and for sound manifests: `node test/bench/measure-rehearsals.ts speed |
 * mistakes [most] | sound FOLDER [most]`. Prints lines of JSON; nothing is asserted.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { RehearsalReport } from '../../src/cli/rehearse/rehearsal-report.ts';
import { runRehearse } from '../../src/cli/rehearse/rehearse-command.ts';
import type { Raw } from '../fakes/raw.ts';
import { canaryIn, example } from '../scenarios/rehearsals.ts';
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

async function speed(): Promise<void> {
  const anHour = example('istio-canary.yaml', ({ spec }: Raw) => {
    Object.assign(spec.analysis, { interval: '2m', stepWeight: 2, maxWeight: 56 });
  });
  for (const [name, objects, matrix] of [
    ['one hour', anHour, false],
    ['one hour, once more', anHour, false],
    ['matrix', example('istio-canary.yaml'), true],
  ] as const) {
    const startedMs = performance.now();
    const cpu = process.cpuUsage();
    const { rehearsals } = await reportOf(objects, 'good', matrix);
    const { user, system } = process.cpuUsage(cpu);
    const virtualSeconds = rehearsals.reduce((sum, { seconds }) => sum + seconds.total, 0);
    const [wallMs, cpuMs] = [performance.now() - startedMs, (user + system) / 1000].map(Math.round);
    print({ name, rehearsals: rehearsals.length, virtualSeconds, wallMs, cpuMs });
  }
}

async function mistakes(most: number): Promise<void> {
  let left = most;
  const totals = { tried: 0, byValidate: 0, byRehearse: 0, byEither: 0 };
  const scenarios = ['good', 'bad-5xx', 'slow'];
  const sound = new Map<string, Set<string>>();
  for (const base of BASES)
    for (const { name, edit } of misconfigurations) {
      const objects = example(base);
      if (left <= 0 || !objects.some(({ kind }) => kind === 'Canary') || !edit(canaryIn(objects), objects)) continue;
      left -= 1;
      const found = { validate: false, rehearse: '' };
      for (const scenario of scenarios) {
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
}

/** Files with one Canary in which `validate` finds no error, as a release of a good version. */
async function sound(from: string, most: number): Promise<void> {
  const totals = { rehearsed: 0, withErrors: 0, withWarnings: 0 };
  for (const file of readdirSync(from).toSorted()) {
    if (totals.rehearsed >= most) break;
    const documents = parseAllDocuments(readFileSync(join(from, file), 'utf8'));
    if (documents.some(({ errors }) => errors.length > 0)) continue;
    const objects = documents.map((document): KubeObject => document.toJS()).filter((object) => object?.kind !== undefined);
    if (objects.filter(({ kind }) => kind === 'Canary').length !== 1) continue;
    const report = await reportOf(objects, 'good').catch((error: unknown) => String(error));
    const found =
      typeof report === 'string' ? [report] : report.mistakes.map(({ severity, rule, message }) => `${severity} ${rule}: ${message}`);
    // Skips manifests that are not sound, or of a kind that the model lacks.
    if (found.some((line) => line.startsWith('error validate') || line.startsWith('error not-rehearsed'))) continue;
    const fresh = found.filter((line) => !line.startsWith('warning validate'));
    totals.rehearsed += 1;
    totals.withErrors += Number(fresh.some((line) => !line.startsWith('warning')));
    totals.withWarnings += Number(fresh.some((line) => line.startsWith('warning')));
    print({ file, found: fresh });
  }
  print(totals);
}

const [what = '', ...given] = process.argv.slice(2);
if (what === 'speed') await speed();
else if (what === 'mistakes') await mistakes(Number(given[0] ?? 200));
else if (what === 'sound' && given[0] !== undefined) await sound(given[0], Number(given[1] ?? 50));
else throw new Error('say speed, mistakes or sound FOLDER');
rmSync(folder, { recursive: true, force: true });
