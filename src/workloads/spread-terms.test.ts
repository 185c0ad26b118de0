import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LabelSelector } from '../api/kinds/label-selector.ts';
import type { Labels } from '../api/kube-object.ts';
import { selects } from './label-selector.ts';
import { rewriteSpreadTerms } from './spread-terms.ts';

const selector = { key: 'app', target: 'web', primary: 'web-primary' };
const targetLabels: Labels = { app: 'web', tier: 'front' };
const primaryLabels: Labels = { ...targetLabels, app: 'web-primary' };
const own = { labels: targetLabels, namespace: 'shop', selector };

const rewritten = (term: Record<string, unknown> & { labelSelector?: LabelSelector }) =>
  rewriteSpreadTerms({ topologySpreadConstraints: [term] }, own).topologySpreadConstraints?.[0];

const value = fc.constantFrom('web', 'web-primary', 'cart', 'front');
const key = fc.constantFrom('app', 'tier', 'other');
const aSelector: fc.Arbitrary<LabelSelector> = fc.record(
  {
    matchLabels: fc.dictionary(key, value, { maxKeys: 2 }),
    matchExpressions: fc.array(
      fc.record({ key, operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'), values: fc.array(value, { maxLength: 3 }) }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

describe('rewriteSpreadTerms', () => {
  it('a term that selects the own pods selects the primary pods after it, every other term is unchanged', () => {
    fc.assert(
      fc.property(aSelector, (labelSelector) => {
        const after = rewritten({ labelSelector })?.labelSelector;
        if (selects(labelSelector, targetLabels)) expect(selects(after, primaryLabels)).toBe(true);
        else expect(after).toEqual(labelSelector);
      }),
      { numRuns: 500 },
    );
  });

  it('a term that kept the canary from the primary keeps the primary from the canary', () => {
    const after = rewritten({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web-primary'] }] } });
    expect(after?.labelSelector).toEqual({ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] });
  });

  it.each([
    { of: 'no namespace', term: {}, changes: true },
    { of: 'its own namespace', term: { namespaces: ['other', 'shop'] }, changes: true },
    { of: 'other namespaces', term: { namespaces: ['other'] }, changes: false },
    { of: 'all namespaces', term: { namespaceSelector: {} }, changes: true },
    { of: 'a namespace by name', term: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } }, changes: true },
    { of: 'namespaces by a label that we do not know', term: { namespaceSelector: { matchLabels: { team: 'a' } } }, changes: false },
  ])('a term of $of changes: $changes', ({ term, changes }) => {
    const labelSelector = { matchLabels: { app: 'web' } };
    expect(rewritten({ ...term, labelSelector })).toEqual({
      ...term,
      labelSelector: { matchLabels: { app: changes ? 'web-primary' : 'web' } },
    });
  });

  it('a pod spec without terms, and a term without selector, do not change', () => {
    expect(rewriteSpreadTerms({ nodeName: 'n' }, own)).toEqual({ nodeName: 'n' });
    expect(rewritten({ topologyKey: 'zone' })).toEqual({ topologyKey: 'zone' });
  });
});
