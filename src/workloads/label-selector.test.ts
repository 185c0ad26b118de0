import { expect, it } from 'vitest';
import { selectorText, selects } from './label-selector.ts';

const labels = { app: 'shop', tier: 'web' };

it.each([
  { what: 'no selector', selector: undefined, is: false },
  { what: 'an empty selector', selector: {}, is: true },
  { what: 'all of its labels', selector: { matchLabels: { app: 'shop', tier: 'web' } }, is: true },
  { what: 'one other label', selector: { matchLabels: { app: 'shop', tier: 'db' } }, is: false },
  {
    what: 'labels, and an expression that does not hold',
    selector: { matchLabels: { app: 'shop' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
    is: false,
  },
])('a selector with $what selects the pod: $is', ({ selector, is }) => expect(selects(selector, labels)).toBe(is));

it.each([
  [{ matchLabels: { app: 'shop', tier: 'web' } }, 'app=shop,tier=web'],
  [
    {
      matchExpressions: [
        { key: 'app', operator: 'In', values: ['shop', 'cart'] },
        { key: 'tier', operator: 'NotIn', values: ['db'] },
        { key: 'team', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    },
    'app in (shop,cart),tier notin (db),team,!old',
  ],
  [{ matchLabels: { app: 'shop' }, matchExpressions: [{ key: 'age', operator: 'Gt', values: ['1'] }] }, undefined],
  [undefined, ''],
])('a selector as the API lists by it: %j is %s', (selector, text) => expect(selectorText(selector)).toBe(text));
