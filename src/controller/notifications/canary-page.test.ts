import { expect, it } from 'vitest';
import { canaryPage } from './canary-page.ts';

const canary = { namespace: 'shop', name: 'podinfo' };

it.each([
  { at: 'https://serin.example', page: 'https://serin.example/canaries/shop/podinfo' },
  { at: 'https://ops.example/serin/', page: 'https://ops.example/serin/canaries/shop/podinfo' },
  { at: '', page: undefined },
])('the page of a Canary below "$at" is $page', ({ at, page }) => expect(canaryPage(at, canary)).toBe(page));

it('a name stays one segment of the path', () => {
  expect(canaryPage('https://serin.example', { namespace: 'shop', name: '../x?y#z' })).toBe(
    'https://serin.example/canaries/shop/..%2Fx%3Fy%23z',
  );
});
