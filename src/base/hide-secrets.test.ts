import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideSecrets, userInfoOf } from './hide-secrets.ts';

describe('hideSecrets', () => {
  it.each([
    ['as it is', 'said s3cret/token!', 'said ***!'],
    ['in base64', `said ${Buffer.from('s3cret/token').toString('base64')}`, 'said ***'],
    ['in a URL', 'GET /?key=s3cret%2Ftoken', 'GET /?key=***'],
    ['cut off', 'said s3cret/t', 'said ***'],
  ])('hides a secret %s', (_, text, shown) => {
    expect(hideSecrets(text, ['s3cret/token\n', undefined, ''])).toBe(shown);
  });

  it('hides a secret in base64 at any place of the encoded text', () => {
    const secret = fc.string({ unit: 'grapheme-ascii', minLength: 10, maxLength: 40 }).filter((text) => text.trim() === text);
    const around = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
    fc.assert(
      fc.property(secret, around, around, (text, before, after) => {
        const encoded = Buffer.from(before + text + after).toString('base64');
        const decoded = Buffer.from(hideSecrets(encoded, [text]).split('***').join(''), 'base64').toString();
        expect(decoded).not.toContain(text);
        expect(hideSecrets(encoded, [text])).toContain('***');
      }),
    );
  });

  it.each([
    ['as it is', 'said '],
    ['behind a beginning that is much like it', `said ${'a'.repeat(300)}`],
  ])('hides a long secret %s, whole and cut off', (_, before) => {
    const secret = `${'a'.repeat(300)}b${'c'.repeat(3000)}`;
    expect(hideSecrets(`${before}${secret}!`, [secret])).toBe(`${before}***!`);
    expect(hideSecrets(`${before}${secret.slice(0, 2000)}`, [secret])).toBe(`${before}***`);
    expect(hideSecrets(`${before}${secret.slice(0, 310)}`, [`${secret}\ud83d\ude00${secret}`])).toBe(`${before}***`);
  });

  it('hides a secret behind more white space than the text is long', () => {
    expect(hideSecrets('said token', [`${' '.repeat(99)}token`])).toBe('said ***');
  });

  it('shows nothing beyond 8192 characters, and nothing at all beside more than 100 secrets', () => {
    expect(hideSecrets(`${'a'.repeat(8190)}secret`, ['secret'])).toBe(`${'a'.repeat(8190)}se`);
    expect(hideSecrets(`${'a'.repeat(8180)}, secret-token`, ['secret-token'])).toBe(`${'a'.repeat(8180)}, ***`);
    const many = Array.from({ length: 101 }, (_, index) => `secret-${index}`);
    expect(hideSecrets('an answer', many.slice(1))).toBe('an answer');
    expect(hideSecrets('an answer', many)).toBe('***');
  });

  it('leaves words that only look like a part of a short secret', () => {
    expect(hideSecrets('the shop answered', ['abc', 't', ' a\n'])).toBe('the shop answered');
  });
});

it('finds name and password of an address, as written and as meant', () => {
  expect(userInfoOf('http://me:p%40ss@host/path')).toEqual(['me:p@ss', 'me', 'p%40ss', 'me', 'p@ss']);
  expect(userInfoOf('http://host')).toEqual([]);
  expect(userInfoOf('no address')).toEqual([]);
});
