import { expect, it } from 'vitest';
import { parseLabelSelector } from './label-selector-text.ts';

const shop = { app: 'shop', team: 'payments', level: '3' };

it.each([
  ['', true],
  ['app=shop', true],
  ['app==shop,team!=cart', true],
  ['app in (cart, shop)', true],
  ['team notin (payments)', false],
  ['absent notin (x)', true],
  ['app', true],
  ['!app', false],
  ['!absent,level>2', true],
  ['level<3', false],
])('the selector %s matches: %s', (text, matches) => {
  const parsed = parseLabelSelector(text);
  expect('matches' in parsed && parsed.matches(shop)).toBe(matches);
});

it('a part that is not a requirement is named', () => {
  expect(parseLabelSelector('app=shop,team of payments')).toEqual({ unreadable: 'team of payments' });
});
