import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Canary, CanarySpec } from '../../api/canary.ts';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { acceptedGenerationAnnotation, acceptedSpecsAnnotation } from '../../api/names.ts';
import { defined } from '../../base/defined.ts';
import { recordKind } from '../../workloads/anchor.ts';
import { acceptedNote, acceptedSpecsIn, acceptedSpecsText, MOST_CHARACTERS } from './accepted-specs.ts';

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
    { what: 'the status has the generation of the copy', generation: '4', seen: 4, kept: [fourth] },
    { what: 'the status was not written since', generation: '4', seen: 3, kept: [fourth] },
    { what: 'the copy has no generation', generation: undefined, seen: 5, kept: [fourth] },
    { what: 'a tenant has written another text for the generation', generation: 'x', seen: 5, kept: [fourth] },
    { what: 'the status has none', generation: '4', seen: undefined, kept: [fourth] },
    { what: 'Serin has refused later edits', generation: '4', seen: 6, accepted: 4, kept: [fourth] },
    { what: 'an earlier version of Serin has run a later spec', generation: '4', seen: 5, kept: [] },
    { what: 'an earlier version has run a later spec, and Serin has refused the next', generation: '4', seen: 6, accepted: 5, kept: [] },
  ])('are $kept.length where $what', ({ generation, seen, accepted, kept }) => {
    const annotations = { [acceptedSpecsAnnotation]: JSON.stringify([fourth]), ...defined({ [acceptedGenerationAnnotation]: generation }) };
    const conditions = [{ type: 'Promoted', status: 'Unknown', reason: 'Progressing', ...defined({ observedGeneration: seen }) }];
    const status = { conditions, release: defined({ acceptedGeneration: accepted }) } as CanaryStatus;
    expect(acceptedSpecsIn({ ...recordKind, metadata: { name: 'anchor', annotations } }, status)).toEqual(kept);
  });

  it.each([
    { what: 'are not stored again for another generation of the same spec', seen: 4, note: { generation: 4 } },
    {
      what: 'I16: have the generation of the Canary where a tenant has written another text',
      stored: 'x',
      seen: 4,
      note: { generation: 6 },
    },
    {
      what: 'are stored again after an earlier version of Serin has run another one',
      seen: 5,
      note: { annotations: { [acceptedSpecsAnnotation]: JSON.stringify([fourth]), [acceptedGenerationAnnotation]: '6' }, generation: 6 },
    },
  ])('$what', ({ seen, note, stored: generation = '4' }) => {
    const annotations = { [acceptedSpecsAnnotation]: JSON.stringify([fourth]), [acceptedGenerationAnnotation]: generation };
    const conditions = [{ type: 'Promoted', status: 'Unknown', reason: 'Progressing', observedGeneration: seen }];
    const canary = { metadata: { generation: 6 }, spec: fourth, status: { conditions } } as Canary;
    expect(acceptedNote({ ...recordKind, metadata: { name: 'anchor', annotations } }, canary, undefined)).toEqual(note);
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
