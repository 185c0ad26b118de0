import { expect, it } from 'vitest';
import { mask } from './mask.ts';

it.each([
  ['Authorization: Bearer abcdef.ghi-jkl', 'Authorization: Bearer ***'],
  ['{"token":"eyJhbGciOi"}', '{"token":"***"}'],
  ['PASSWORD=hunter2 and more', 'PASSWORD=*** and more'],
  ['api-key: k3y', 'api-key: ***'],
  ['the token was refused', 'the token was refused'],
  ['planted and planted-longer', '*** and ***'],
])('%s is shown as %s', (text, shown) => {
  expect(mask(text, ['planted', 'planted-longer', 'ab'])).toBe(shown);
});
