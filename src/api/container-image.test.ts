import { expect, it } from 'vitest';
import { imageChangeText, shortImage } from './container-image.ts';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

it.each([
  { from: 'ghcr.io/acme/web:6.0.0', to: 'ghcr.io/acme/web:6.0.1', text: 'ghcr.io/acme/web 6.0.0 → 6.0.1' },
  { from: 'registry:5000/web:1', to: 'registry:5000/web:2', text: 'registry:5000/web 1 → 2' },
  { from: 'registry:5000/web', to: 'registry:5000/web:2', text: 'registry:5000/web → registry:5000/web:2' },
  { from: 'acme/web:1', to: 'acme/shop:1', text: 'acme/web:1 → acme/shop:1' },
  {
    from: `acme/web@${digest('a')}`,
    to: `acme/web:2@${digest('b')}`,
    text: 'acme/web sha256:aaaaaaaaaaaa… → 2@sha256:bbbbbbbbbbbb…',
  },
  { to: 'acme/proxy:1', text: 'acme/proxy:1 (new container)' },
  { from: 'acme/proxy:1', text: 'acme/proxy:1 (container removed)' },
])('an image that changes is shown as $text', ({ text, ...change }) => expect(imageChangeText({ container: 'web', ...change })).toBe(text));

it('a long image is shown by its end, where its version is', () => {
  const short = shortImage(`${'a/'.repeat(5_000)}web:1`);
  expect(short).toHaveLength(120);
  expect(short).toMatch(/^….*web:1$/);
});

it('a change that was shortened before is shown the same', () => {
  const [from, to] = [`acme/web@${digest('a')}`, `acme/web@${digest('b')}`];
  const text = imageChangeText({ container: 'web', from, to });
  expect(imageChangeText({ container: 'web', from: shortImage(from), to: shortImage(to) })).toBe(text);
});
