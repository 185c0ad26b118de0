import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CanarySpec } from '../../api/canary.ts';
import { acceptedSpecsAnnotation } from '../../api/names.ts';
import { recordKind } from '../../workloads/anchor.ts';
import { acceptedSpecsIn, acceptedSpecsText, MOST_CHARACTERS } from './accepted-specs.ts';

const specOf = (timeout: string): CanarySpec => ({
  ...{ targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app' }, analysis: { interval: '1m', threshold: 1 } },
  service: { port: 80, timeout },
});
const [first, second, third, fourth] = [specOf('1s'), specOf('2s'), specOf('3s'), specOf('4s')];
const stored = (text: string): readonly object[] =>
  acceptedSpecsIn({ ...recordKind, metadata: { name: 'anchor', annotations: { [acceptedSpecsAnnotation]: text } } });

describe('E65: the specs that a Canary was run by, as its anchor has them', () => {
  it.each([
    { what: 'the first', before: [], written: undefined, kept: [fourth] },
    { what: 'one before it, whose routes may be those in the cluster', before: [third], written: undefined, kept: [fourth, third] },
    { what: 'several before it', before: [third, second], written: undefined, kept: [fourth, third, second] },
    {
      what: 'more than three: the newest, and the oldest',
      before: [third, second, first],
      written: undefined,
      kept: [fourth, third, first],
    },
    { what: 'one that is known to be written, and none before it', before: [third, second, first], written: third, kept: [fourth, third] },
    { what: 'one that is written, and a refused one between', before: [third, second, first], written: second, kept: [fourth, second] },
    { what: 'itself, which is not kept twice', before: [third, fourth], written: undefined, kept: [fourth, third] },
  ])('are the newest one and $what', ({ before, written, kept }) => {
    expect(stored(acceptedSpecsText(fourth, before, written))).toEqual(kept);
  });

  it('are fewer where they do not fit, the oldest left out, and none where the newest is too large', () => {
    const [large, other] = [specOf('l'.repeat(MOST_CHARACTERS - 500)), specOf('o'.repeat(1_000))];
    expect(isDeepStrictEqual(stored(acceptedSpecsText(large, [{ ...other }])), [large])).toBe(true);
    expect(acceptedSpecsText(specOf('x'.repeat(MOST_CHARACTERS)), [{ ...other }])).toBe('[]');
  });

  it('are not stored with credentials in an address, and neither are the specs before', () => {
    const withUser = { ...specOf('u'), metricsServer: 'http://user:planted@prometheus:9090' };
    expect(acceptedSpecsText(withUser, [{ ...third }])).toBe('[]');
    expect(stored(acceptedSpecsText(fourth, [{ ...withUser }, { ...third }]))).toEqual([fourth]);
    expect(stored(acceptedSpecsText({ ...fourth, metricsServer: 'http://prometheus:9090/?a=b@c' }))).toHaveLength(1);
  });

  it.each([
    { what: 'no JSON', text: '[{' },
    { what: 'no list', text: '{"service":{}}' },
    { what: 'a list of other things', text: '["a"]' },
    { what: 'more than Serin writes', text: '[{},{},{},{}]' },
    { what: 'more than Serin would write', text: JSON.stringify([{ a: 'x'.repeat(MOST_CHARACTERS) }]) },
  ])('I16: are none where a tenant has written $what', ({ text }) => {
    expect(stored(text)).toEqual([]);
  });
});
