import { expect, it } from 'vitest';
import { failureWords, hasWords } from './failure-words.ts';

it.each([
  ['ENOTFOUND', 'the name of its host does not exist (ENOTFOUND)'],
  ['ECONNREFUSED', 'nothing listens at its address and port (ECONNREFUSED)'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired (CERT_HAS_EXPIRED)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name of a host (ERR_TLS_CERT_ALTNAME_INVALID)'],
])('%s is said in words, with its code', (code, words) => {
  expect([failureWords(code), hasWords(code)]).toEqual([words, true]);
});

it.each(['ESOMETHING', 'toString', '__proto__'])('%s stays a code', (code) => {
  expect([failureWords(code), hasWords(code)]).toEqual([code, false]);
});
