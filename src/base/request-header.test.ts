import { expect, it } from 'vitest';
import { headerProblem } from './request-header.ts';

const OF_THE_CONNECTION = [
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'proxy-authorization', 'proxy-connection', 'proxy-authenticate'],
  ...['content-length', 'host', 'transfer-encoding'],
];

it.each(OF_THE_CONNECTION.flatMap((name) => [name, name.toUpperCase()]))('the header %s is refused by name', (name) => {
  expect(headerProblem(name, ['x'])).toBe('is set by Serin for each connection: leave it out');
});

it.each(['', 'a b', 'a:b', ':path', 'a\r\nb', 'a\n', 'ä', 'a(b)', 'a\0'])('%j is not a header name', (name) => {
  expect(headerProblem(name, ['x'])).toBe('is not a header name: use letters, digits and -');
});

it.each(['a\r\nhost: b', 'a\n', '\ra', 'a\0b', 'a\u007f', 'ł', '\u2028'])('the value %j is refused and not repeated', (value) => {
  expect(headerProblem('x-a', ['fine', value])).toBe(
    'has a value with a line break, a control character or one beyond Latin-1: correct the value',
  );
});

it.each(['Authorization', 'X-Scope-OrgID', 'accept', 'cookie', 'x_y.z', "!#$%&'*+-.^_`|~9"])('the header %s is accepted', (name) => {
  expect(headerProblem(name, ['Bearer a', 'tab\there', 'é', ''])).toBeUndefined();
});
