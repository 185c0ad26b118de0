import { describe, expect, it } from 'vitest';
import { aCanary } from '../../test/contracts/routers-cases.ts';
import { raw } from '../../test/fakes/raw.ts';
import { observerFor } from '../routers/index.ts';
import { Provider } from './canary.ts';
import type { AnalysisComparison } from './comparison.ts';
import { findings } from './findings.ts';
import { parseCanary } from './parse-canary.ts';

const orders = { name: 'orders', templateRef: { name: 'orders' }, thresholdRange: { max: 1 }, compare: {} };

function found(comparison: AnalysisComparison | undefined, { metric = {}, provider = 'istio' as Provider } = {}): string[] {
  const analysis = { stepWeight: 10, metrics: [{ ...orders, ...metric }], ...(comparison && { comparison }) };
  return findings(aCanary({ provider, analysis }))
    .filter(({ path }) => /comparison|metrics/.test(path))
    .map(({ severity, path, message, isIgnored }) => `${isIgnored ? 'ignored' : severity} ${path} ${message}`);
}

describe('a comparison with the primary', () => {
  it.each<[string, AnalysisComparison]>([
    ['as it is when nothing is said', {}],
    ['with all that it can have', { mode: 'gate', pace: 'evidence', maxStepDuration: '30m', warmUp: '0s', latency: {} }],
  ])('20.6: %s has no finding', (_, comparison) => expect(found(comparison)).toEqual([]));

  it.each<[string, AnalysisComparison, RegExp]>([
    ['pace evidence in mode shadow', { pace: 'evidence' }, /^ignored spec\.analysis\.comparison\.pace has no effect in mode shadow/],
    [
      'a longest step without pace evidence',
      { mode: 'gate', maxStepDuration: '1h' },
      /^ignored \S+\.maxStepDuration has no effect without pace/,
    ],
    ['a longest step that is none', { mode: 'gate', pace: 'evidence', maxStepDuration: '1mx' }, /^error \S+\.maxStepDuration is "?1mx/],
    ['a longest step of no length', { mode: 'gate', pace: 'evidence', maxStepDuration: '0s' }, /^error \S+\.maxStepDuration is "?0s/],
    ['a warm-up that is none', { warmUp: '1mx' }, /^error \S+\.warmUp is "?1mx/],
  ])('20.6: %s is found', (_, comparison, finding) => expect(found(comparison)).toEqual([expect.stringMatching(finding)]));

  it.each<[string, object, RegExp]>([
    ['without a template', { templateRef: undefined, query: 'q' }, /^error spec\.analysis\.metrics\[0\]\.compare has nothing that counts/],
    ['of the name of a built-in comparison', { name: 'latency' }, /^error spec\.analysis\.metrics\[0\]\.name is latency/],
  ])('20.6: a metric to compare %s is found', (_, metric, finding) =>
    expect(found({}, { metric })).toContainEqual(expect.stringMatching(finding)),
  );

  it('20.6: a metric to compare without a comparison has no effect', () => {
    expect(found(undefined)).toEqual([expect.stringMatching(/^ignored spec\.analysis\.metrics\[0\]\.compare has no effect without/)]);
  });

  it.each(Provider.options)('20.6: of %s is found where its counters cannot tell the sides apart, as an error in mode gate', (provider) => {
    const { counters } = observerFor(provider, 'Deployment');
    const expected = (severity: string) =>
      'unavailable' in counters ? [expect.stringMatching(`^${severity} spec.analysis.comparison cannot tell .+, since APISIX counts`)] : [];
    expect(found({}, { provider })).toEqual(expected('warning'));
    expect(found({ mode: 'gate' }, { provider })).toEqual(expected('error'));
  });

  it('20.6: in mode gate judges a version without any other check, and in mode shadow does not', () => {
    const passes = (mode: 'gate' | 'shadow') =>
      findings(aCanary({ provider: 'istio', analysis: { stepWeight: 10, comparison: { mode } } })).map(({ message }) => message);
    expect(passes('gate')).toEqual([]);
    expect(passes('shadow')).toEqual([expect.stringContaining('every new version passes')]);
  });

  it.each(['0.5x', '0x', '1', '101x'])('20.6: a Canary that tolerates %s is refused', (tolerate) => {
    const canary = raw(aCanary());
    canary.spec.analysis.comparison = { errors: { tolerate } };
    const read = parseCanary(canary);
    expect(read).toEqual({ problems: [expect.objectContaining({ path: 'spec.analysis.comparison.errors.tolerate' })] });
  });
});
