import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { exitCodes } from '../../src/cli/output/exit-codes.ts';
import { RehearsalReport } from '../../src/cli/rehearse/rehearsal-report.ts';
import { MOST_REHEARSED_PODS } from '../../src/rehearsal/limits.ts';
import { scenarios } from '../../src/rehearsal/scenarios.ts';
import type { Raw } from '../fakes/raw.ts';
import { canaryIn, example } from '../scenarios/rehearsals.ts';
import { serin } from '../scenarios/serin.ts';

const ISTIO = join(import.meta.dirname, '..', '..', 'examples', 'istio-canary.yaml');
const folder = mkdtempSync(join(tmpdir(), 'serin-rehearse-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rehearse = (...args: string[]) => serin('', 'rehearse', ...args);
const reported = async (...args: string[]) => {
  const { code, said } = await rehearse(...args, '-ojson');
  return { code, report: RehearsalReport.parse(JSON.parse(said)) };
};
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const manifests = (name: string, objects: readonly object[]): string =>
  file(name, objects.map((object) => stringify(object)).join('---\n'));
const rulesOf = ({ mistakes }: RehearsalReport): string[] => mistakes.map(({ rule }) => rule);

describe('serin rehearse', () => {
  it('a release of a million checks is refused with the line of its field, and beside it others are rehearsed', async () => {
    const endless = example('istio-canary.yaml', ({ metadata, spec }: Raw) => {
      metadata.name = 'endless';
      Object.assign(spec.targetRef, { name: 'endless' });
      for (const field of ['stepWeight', 'maxWeight', 'stepWeights']) delete spec.analysis[field];
      spec.analysis.iterations = 1_000_000;
    });
    const { code, report } = await reported(manifests('endless.yaml', [...endless, ...example('istio-canary.yaml')]));
    expect(code).toBe(1);
    expect(report.rehearsals.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['endless', 'notRehearsed'],
      ['podinfo', 'promoted'],
    ]);
    const refusal = report.mistakes.find(({ rule }) => rule === 'not-rehearsed');
    expect(refusal?.message).toContain('spec.analysis.iterations: makes 1000000 checks of a release, and a rehearsal plays 2000');
    expect(refusal?.line).toBeGreaterThan(1);
  });

  it('DF826: a window that holds a handful of requests at the modelled rate is a warning with its file, and a longer one is not', async () => {
    const within = async (interval: string, rate: string) => {
      const objects = example('istio-canary.yaml', ({ spec }: Raw) => {
        spec.analysis.metrics = [{ name: 'request-success-rate', interval, thresholdRange: { min: 99 } }];
      });
      return (await reported(manifests('thin.yaml', objects), '--rate', rate)).report;
    };
    const thin = await within('30s', '1');
    expect(thin.rehearsals[0]).toMatchObject({ verdict: 'promoted' });
    expect(thin.mistakes).toEqual([
      expect.objectContaining({
        ...{ severity: 'warning', rule: 'thin-evidence', file: join(folder, 'thin.yaml'), line: expect.any(Number) },
        message: expect.stringMatching(
          /^no check of request-success-rate was decided by more than \d+(\.\d)? requests: with fewer than 29 /,
        ),
      }),
    ]);
    expect((await within('1m', '10')).mistakes).toEqual([]);
  });

  it('100,000 replicas are modelled by thirty, and a warning with the line says so', async () => {
    const objects = example('istio-canary.yaml');
    for (const object of objects) if (object.kind === 'Deployment') Object.assign((object as Raw).spec, { replicas: 100_000 });
    const path = manifests('replicas.yaml', objects);
    const line = 1 + readFileSync(path, 'utf8').split('\n').indexOf('  replicas: 100000');
    const { code, report } = await reported(path);
    expect(code).toBe(0);
    expect(report.rehearsals[0]).toMatchObject({ verdict: 'promoted' });
    expect(report.rehearsals[0]?.peakPods).toBeLessThanOrEqual(3 * MOST_REHEARSED_PODS);
    // The field is printed before the message.
    const message = expect.stringMatching(/^100000 pods are modelled by 30,/);
    const fewer = { severity: 'warning', rule: 'fewer-pods', field: 'spec.replicas', line, message };
    expect(report.mistakes).toEqual([expect.objectContaining(fewer)]);
  });

  it('a good version is promoted, and the exit code is 0', async () => {
    const { code, report } = await reported(ISTIO);
    expect(code).toBe(exitCodes.done.code);
    expect(report).toMatchObject({ sound: true, mistakes: [], rehearsals: [{ name: 'podinfo', verdict: 'promoted' }] });
    const kinds = new Set(report.rehearsals[0]?.timeline.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(['checks', 'event', 'phase', 'scenario', 'traffic', 'webhook', 'write']);
  });

  it('a Canary that names no provider is one of Istio: users come by its gateway, and reach the new version', async () => {
    const objects = example('istio-canary.yaml', ({ spec }: Raw) => {
      delete spec.provider;
      Object.assign(spec.service, { gateways: ['istio-system/public'], hosts: ['app.example.com'] });
    });
    const { code, report } = await reported(manifests('no-provider.yaml', objects));
    expect([code, rulesOf(report)]).toEqual([0, []]);
    expect(report.rehearsals[0]?.requests.new.sent).toBeGreaterThan(0);
    expect(report.rehearsals[0]?.assumptions.join()).toContain('app.example.com');
  });

  it('a target is created for a Canary without other objects, also if its targetRef has another apiVersion than Kubernetes', async () => {
    const canary = canaryIn(example('istio-canary.yaml', ({ spec }: Raw) => Object.assign(spec.targetRef, { apiVersion: 'v1' })));
    const { report } = await reported(manifests('alone.yaml', [canary]));
    expect(report.rehearsals[0]).toMatchObject({ verdict: 'promoted' });
  });

  it('a bad version is caught for its success rate, and the same seed gives the same output', async () => {
    const once = await rehearse(ISTIO, '--scenario', 'bad-5xx', '-ojson');
    expect(once.code).toBe(0);
    const [result] = RehearsalReport.parse(JSON.parse(once.said)).rehearsals;
    expect(result).toMatchObject({ verdict: 'caught', blamed: ['request-success-rate'] });
    expect(result?.seconds.toDetect).toBeLessThan(result?.seconds.toRollBack ?? 0);
    expect(await rehearse(ISTIO, '--scenario', 'bad-5xx', '-ojson')).toEqual(once);
  });

  it('a bad version that is promoted makes the exit code 1, and yaml is the same document', async () => {
    const objects = example('istio-canary.yaml', ({ spec }: Raw) => {
      spec.analysis.metrics = spec.analysis.metrics.filter(({ name }: { name: string }) => name !== 'request-success-rate');
    });
    const { code, said } = await rehearse(manifests('unmeasured.yaml', objects), '--scenario', 'bad-5xx', '-oyaml');
    expect(code).toBe(exitCodes.no.code);
    const report = RehearsalReport.parse(parse(said));
    expect(rulesOf(report)).toEqual(['bad-version-promoted']);
    expect(report.mistakes[0]).toMatchObject({ file: join(folder, 'unmeasured.yaml'), scenario: 'bad-5xx', object: { kind: 'Canary' } });
  });

  it('findings of validate are mistakes, and a Canary that cannot be read is not rehearsed', async () => {
    const objects = example('istio-canary.yaml', ({ spec }: Raw) => {
      delete spec.targetRef;
    });
    const { code, report } = await reported(manifests('broken.yaml', objects));
    expect(code).toBe(exitCodes.no.code);
    expect(rulesOf(report)).toEqual(['validate', 'not-rehearsed']);
    expect(report).toMatchObject({ mistakes: [{ field: 'spec.targetRef' }, {}], rehearsals: [{ verdict: 'notRehearsed' }] });
  });

  it('a check has the value of --assume, and a check that the model cannot measure is named', async () => {
    const objects = example('istio-canary.yaml', ({ spec }: Raw) => {
      spec.analysis.metrics.push({ name: 'queue', interval: '1m', thresholdRange: { max: 5 }, templateRef: { name: 'queue' } });
    });
    objects.push({
      apiVersion: 'flagger.app/v1beta1',
      kind: 'MetricTemplate',
      metadata: { name: 'queue', namespace: 'test' },
      spec: { provider: { type: 'prometheus', address: 'http://prom:9090' }, query: 'max(queue_length{app="{{ target }}"})' },
    });
    const path = manifests('queue.yaml', objects);
    const unmodelled = (await reported(path)).report.rehearsals[0];
    expect(unmodelled).toMatchObject({ verdict: 'promoted', checks: [{}, {}, { check: 'queue', state: 'notModelled', max: 5 }] });
    const assumed = (await reported(path, '--assume', 'queue=9')).report.rehearsals[0];
    expect(assumed).toMatchObject({ verdict: 'rolledBack', blamed: ['queue'], checks: [{}, {}, { state: 'assumed', value: 9 }] });
  });

  it('a scenario of a file runs its steps when they are due', async () => {
    const steps = [
      { at: '0s', do: 'traffic', requestsPerSecond: 30 },
      { at: '2m', do: 'new-version', errorRate: 0.5 },
    ];
    const path = file('turns-bad.yaml', stringify({ name: 'turns bad', expect: 'not-promoted', steps }));
    const { report } = await reported(ISTIO, '--scenario', path);
    expect(report.rehearsals[0]).toMatchObject({ verdict: 'caught', scenario: { name: 'turns bad' }, blamed: ['request-success-rate'] });
    expect(report.rehearsals[0]?.seconds.toDetect).toBeGreaterThan(120);
  });

  it('--matrix has a line for each built-in scenario', async () => {
    const { code, said } = await rehearse(ISTIO, '--matrix', '--plain');
    expect(code).toBe(exitCodes.done.code);
    for (const { name } of scenarios)
      expect(said).toMatch(new RegExp(`^${name} +(promoted|caught|rolled back|held) +\\S+ +\\d+ +\\d+ +\\d+ `, 'm'));
    expect(said).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('an impossible rehearsal', () => {
  const misspelt = () => file('misspelt.yaml', stringify({ name: 'x', steps: [{ at: '1m', do: 'new-version', errorrate: 1 }] }));
  const badTime = () => file('bad-time.yaml', stringify({ name: 'x', steps: [{ at: '5 minutes', do: 'quota' }] }));
  it.each<[what: string, args: () => string[], code: keyof typeof exitCodes, names: string]>([
    ['no file', () => [], 'usage', 'serin rehearse canary.yaml'],
    ['a file that is not there', () => [join(folder, 'none.yaml')], 'usage', 'none.yaml'],
    ['a Canary that is not there', () => [ISTIO, '--canary', 'shop'], 'notFound', 'podinfo'],
    ['an unknown scenario', () => [ISTIO, '--scenario', 'worse'], 'usage', 'bad-5xx'],
    ['an unknown field of a scenario', () => [ISTIO, '--scenario', misspelt()], 'usage', 'steps[0]'],
    ['a time without a unit', () => [ISTIO, '--scenario', badTime()], 'usage', 'steps[0].at'],
    ['a seed that is a word', () => [ISTIO, '--seed', 'x'], 'usage', '--seed'],
    ['a rate below zero', () => [ISTIO, '--rate=-1'], 'usage', '--rate'],
    ['an unknown provider', () => [ISTIO, '--provider', 'ambassador'], 'usage', '--provider'],
    ['a check that is not there', () => [ISTIO, '--assume', 'queue=1'], 'usage', 'request-duration'],
    ['a value that is a word', () => [ISTIO, '--assume', 'request-duration=fast'], 'usage', '--assume'],
  ])('%s ends with a line that names it', async (_, args, code, named) => {
    const answer = await rehearse(...args());
    expect(answer.code).toBe(exitCodes[code].code);
    expect(answer.said).toBe('');
    expect(answer.complained.replaceAll('\n', ' ')).toContain(named);
  });
});
