import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifestReaders, saidOf } from '../../../test/fakes/manifest-readers.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-readers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each(manifestReaders)('serin %s names file and line of what it cannot read, and shows no stack', async (...reader) => {
  writeFileSync(join(folder, 'f.yaml'), 'a: 1\n---\na: &a { b: &b [*a, *b] }\n');
  const { code, text } = await saidOf(reader, folder);
  expect(code).not.toBe(0);
  expect(text).toMatch(/\/f\.yaml:3(?:(?: document)?: error)?: has an alias within its own anchor: write the value itself/);
  expect(text).not.toMatch(/ at \S+ \(?(?:file:|node:|\/)/);
});

describe('a socket in a folder', () => {
  const connections: unknown[] = [];
  const server = createServer((connection) => connections.push(connection));
  beforeEach(async () => void (await once(server.listen(join(folder, 's.yaml')), 'listening')));
  afterEach(() => void server.close());

  it.each(manifestReaders)('is not opened by serin %s', async (...reader) => {
    const { code, text } = await saidOf(reader, folder);
    expect(code).not.toBe(0);
    expect(text).toMatch(/\/s\.yaml: .*is not a regular file: remove it, or name the files without it/);
    expect(connections).toEqual([]);
  });
});
