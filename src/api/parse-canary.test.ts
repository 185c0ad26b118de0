import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { alertProviders } from './alert-provider.ts';
import { providers } from './canary.ts';
import { findings } from './findings.ts';
import { metricProviders } from './metric-template.ts';
import { parseAlertProvider, parseCanary, parseCanaryOnce, parseMetricTemplate } from './parse-canary.ts';

type Fields = Record<string, unknown>;

const spec = (change: Fields = {}, analysis: Fields = {}): Fields => ({
  targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
  service: { port: 80 },
  analysis: { interval: '1m', threshold: 5, stepWeight: 10, ...analysis },
  ...change,
});
const read = (fields: Fields) => parseCanary({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'shop' }, ...fields });
const canaryOf = (fields: Fields) => {
  const result = read(fields);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.canary;
};
const problemsOf = (fields: Fields) => {
  const result = read(fields);
  return 'problems' in result ? result.problems : [];
};

describe('parseCanary', () => {
  it('takes null for absent, ignores unknown fields, and fills in metadata that the server adds', () => {
    const canary = canaryOf({ spec: spec({ provider: null, foreign: { a: 1 } }, { maxWeight: null }) });
    expect(canary.spec).not.toHaveProperty('provider');
    expect(canary.spec.analysis).not.toHaveProperty('maxWeight');
    expect(canary.metadata).toMatchObject({ namespace: 'default', generation: 0 });
  });

  it('takes the legacy canaryAnalysis if analysis is absent', () => {
    const { analysis, ...rest } = spec();
    expect(canaryOf({ spec: { ...rest, canaryAnalysis: analysis } }).spec.analysis.stepWeight).toBe(10);
  });

  it('takes a Knative target without service', () => {
    const targetRef = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'shop' };
    expect(canaryOf({ spec: spec({ targetRef, service: undefined }) }).spec.service).toBeDefined();
  });

  it('drops unreadable fields of a status one by one', () => {
    const status = { phase: 'Succeeded', canaryWeight: 'much', lastAppliedSpec: 'abc', release: { step: 1 }, conditions: [null, 5] };
    const parsed = canaryOf({ spec: spec(), status }).status;
    expect(parsed).toEqual({ phase: 'Succeeded', failedChecks: 0, canaryWeight: 0, iterations: 0, lastAppliedSpec: 'abc', conditions: [] });
    expect(canaryOf({ spec: spec(), status: 'nonsense' })).not.toHaveProperty('status');
  });

  it.each<[string, Fields, string, RegExp]>([
    ['a missing spec', {}, 'spec', /missing/],
    ['a missing target', { spec: spec({ targetRef: undefined }) }, 'spec.targetRef', /missing.*object/],
    [
      'a factor without its x',
      { spec: spec({}, { comparison: { errors: { tolerate: 1.5 } } }) },
      'spec.analysis.comparison.errors.tolerate',
      /^is the number 1.5: must be a factor from 1x to 100x, such as 1.5x$/,
    ],
    ['a port in quotes', { spec: spec({ service: { port: '80' } }) }, 'spec.service.port', /"80": it must be a number/],
    ['a fraction', { spec: spec({}, { stepWeight: 1.5 }) }, 'spec.analysis.stepWeight', /1\.5.*whole number/],
    ['hours', { spec: spec({}, { interval: '1h' }) }, 'spec.analysis.interval', /"1h".*30s/],
    ['an unknown provider', { spec: spec({ provider: 'istoi' }) }, 'spec.provider', /"istoi".*istio/],
    [
      'two forms of a match',
      { spec: spec({}, { match: [{ headers: { 'x.y': { exact: 'a', prefix: 'b' } } }] }) },
      'spec.analysis.match[0].headers["x.y"]',
      /exactly one/,
    ],
  ])('reports the mistake in %s', (_, fields, path, message) => {
    expect(problemsOf(fields)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  it('never repeats more than 80 characters of a value', () => {
    const huge = '\u0001'.repeat(100_000);
    const problems = problemsOf({
      spec: spec({ provider: huge, service: { port: huge, apex: { labels: { [huge]: 1 } } } }, { interval: huge }),
    });
    expect(problems.length).toBeGreaterThan(3);
    for (const { path, message } of problems) {
      expect(path.length).toBeLessThan(200);
      expect(message.length).toBeLessThan(500);
    }
  });

  it('I12: never throws, for any JSON', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 50_000; depth += 1) deep = { a: deep, spec: 1 };
    const polluting = JSON.parse(
      '{"__proto__":{"spec":1},"constructor":1,"spec":{"__proto__":5,"toString":1},"metadata":{"constructor":{}}}',
    );
    for (const raw of [null, 1, '', [], deep, polluting, { spec: deep }, { metadata: deep, spec: spec({ service: deep }) }]) {
      expect(() => parseCanary(raw)).not.toThrow();
    }
    const json = fc.jsonValue({ maxDepth: 6 });
    const mangled = fc.record({ metadata: json, status: json, spec: fc.record({ targetRef: json, service: json, analysis: json }) });
    fc.assert(
      fc.property(fc.oneof(json, mangled), (raw) => {
        const fields = typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? raw : { spec: raw };
        const result = read(fields);
        if ('canary' in result) findings(result.canary);
        expect('canary' in result || result.problems.length > 0).toBe(true);
      }),
    );
  });
});

it('a MetricTemplate and an AlertProvider are read, or refused by field', () => {
  const head = { apiVersion: 'flagger.app/v1beta1', metadata: { name: 'errors' } };
  const template = parseMetricTemplate({ ...head, kind: 'MetricTemplate', spec: { provider: { type: 'prometheus' }, query: 'up' } });
  expect(template).toHaveProperty('metricTemplate.spec.query', 'up');
  const alert = parseAlertProvider({ ...head, kind: 'AlertProvider', spec: { type: 'pager' } });
  expect(alert).toHaveProperty('problems.0.path', 'spec.type');
});

describe('public forms of these resources (test/fixtures/public-forms)', () => {
  const folder = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'public-forms');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const forms = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => ({ file, raw: document.toJS() })),
  );
  const parsers = { Canary: parseCanary, MetricTemplate: parseMetricTemplate, AlertProvider: parseAlertProvider };

  it.each(forms)('$file: $raw.kind $raw.metadata.name is read without an error', ({ raw }) => {
    const result = parsers[raw.kind as keyof typeof parsers](raw);
    expect(result).not.toHaveProperty('problems');
    if ('canary' in result) expect(findings(result.canary).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('the fixtures contain each kind of target, of metric backend and of receiver, and a provider of each family', () => {
    const valuesAt = (pick: (raw: Fields) => unknown) => new Set(forms.map(({ raw }) => pick(raw.spec)));
    const typesOf = (kind: string) =>
      forms.filter(({ raw }) => raw.kind === kind).map(({ raw }) => raw.spec.provider?.type ?? raw.spec.type);
    expect(valuesAt(({ targetRef }) => (targetRef as Fields | undefined)?.kind)).toEqual(
      new Set(['Deployment', 'DaemonSet', 'Service', undefined]),
    );
    expect(typesOf('MetricTemplate').toSorted(), 'test/fixtures/public-forms/metrics').toEqual([...metricProviders].toSorted());
    expect(typesOf('AlertProvider').toSorted(), 'test/fixtures/public-forms/alerts').toEqual([...alertProviders].toSorted());
    const family = (provider: unknown) => (typeof provider === 'string' ? provider.split(':')[0] : undefined);
    expect(valuesAt(({ provider }) => family(provider))).toEqual(new Set([undefined, ...providers.map(family)]));
  });
});

it.each([
  [{ analysis: { interval: 'soon' } }, 'spec.analysis.interval', /minutes or seconds, as in 30s/],
  [{ analysis: { metrics: [{ name: 'a', interval: 'soon' }] } }, 'spec.analysis.metrics[0].interval', /hours, minutes or seconds/],
  [{ service: { port: 80, trafficDistribution: 'Near' } }, 'spec.service.trafficDistribution', /must be PreferClose, PreferSameZone/],
  [{ analysis: { webhooks: [{ name: 'load' }] } }, 'spec.analysis.webhooks[0].url', /^is missing: write the http or https address/],
])('the message for a pattern names its purpose: %j', (change, path, message) => {
  const { service = { port: 80 }, analysis } = change as { service?: object; analysis?: object };
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' };
  const spec = { targetRef, service, analysis: { interval: '1m', threshold: 1, stepWeight: 10, ...analysis } };
  const read = parseCanary({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'shop', namespace: 'test' }, spec });
  expect(read).toEqual({ problems: [{ path, message: expect.stringMatching(message) }] });
});

describe('a Canary that is parsed once', () => {
  const canary = (fields: Fields) => ({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'shop' }, ...fields });

  it('gives the same result for the same object, equal to that of parseCanary', () => {
    const raw = canary({ spec: spec() });
    expect(parseCanaryOnce(raw)).toBe(parseCanaryOnce(raw));
    expect(parseCanaryOnce(raw)).toEqual(parseCanary(raw));
  });

  it('is the raw spec and status themselves if parsing changes nothing, and otherwise a copy', () => {
    const status = { phase: 'Failed', failedChecks: 0, canaryWeight: 0, iterations: 1 };
    const same = { spec: spec(), status };
    const parsed = parseCanaryOnce(canary(same));
    expect('canary' in parsed && [parsed.canary.spec === same.spec, parsed.canary.status === status]).toEqual([true, true]);
    const withNulls = () => canary({ spec: spec({ suspend: null }), status: { ...status, iterations: null } });
    const changed = withNulls();
    expect(parseCanaryOnce(changed)).toEqual(parseCanary(withNulls()));
    expect(parseCanaryOnce(changed)).toMatchObject({ canary: { status: { iterations: 0 } } });
    expect(changed).toEqual(withNulls());
  });

  it('is read again for the next version of the object', () => {
    parseCanaryOnce(canary({ spec: spec() }));
    expect(parseCanaryOnce(canary({ spec: spec({ suspend: true }) }))).toMatchObject({ canary: { spec: { suspend: true } } });
  });
});
