import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { manifestReaders, saidOf } from '../../../test/fakes/manifest-readers.ts';

it.each(manifestReaders)('serin %s names file and line of what it cannot read, and shows no stack', async (...reader) => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-readers-'));
  try {
    writeFileSync(join(folder, 'f.yaml'), 'a: 1\n---\na: &a { b: &b [*a, *b] }\n');
    const { code, text } = await saidOf(reader, folder);
    expect(code).not.toBe(0);
    expect(text).toMatch(/\/f\.yaml:3(?: document: error)?: has an alias within its own anchor: write the value itself/);
    expect(text).not.toMatch(/ at \S+ \(?(?:file:|node:|\/)/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
