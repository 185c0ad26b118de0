import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { untar } from '../../../test/fakes/untar.ts';
import { tarOf } from './tar.ts';

const pack = (paths: string[], text = 'x') =>
  gzipSync(
    tarOf(
      paths.map((path) => ({ path, bytes: Buffer.from(text) })),
      1_000_000,
    ),
  );

it.each([0, 1, 511, 512, 513, 100_000])('a file of %i bytes comes out of a tar as it went in', (size) => {
  const text = 'ü'.repeat(size / 2) + 'x'.repeat(size % 2);
  expect(untar(pack(['a', 'b/c'], text))).toEqual(
    new Map([
      ['a', text],
      ['b/c', text],
    ]),
  );
});

it('a long path is split into two fields, and a path that does not fit is an error', () => {
  const path = `${'f'.repeat(60)}/${'g'.repeat(80)}/${'h'.repeat(90)}`;
  expect([...untar(pack([path])).keys()]).toEqual([path]);
  expect(() => pack([`a/${'h'.repeat(101)}`])).toThrow('too long');
});
