import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { messageTemplatesIn } from './message-templates-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'serin-templates-'));
const file = join(folder, 'templates.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

it('without a file no templates exist', () => {
  expect(messageTemplatesIn(undefined)).toEqual({});
  expect(messageTemplatesIn('')).toEqual({});
});

it('a file with a mistake is named, with the key and the remedy', () => {
  writeFileSync(file, 'Faild: a\n');
  expect(messageTemplatesIn(file)).toEqual({
    problem: expect.stringMatching(/templates\.yaml: Faild: no kind of alert has this name: use one of /),
  });
});

it('a file that cannot be read is named, with the reason', () => {
  const missing = join(folder, 'missing.yaml');
  expect(messageTemplatesIn(missing)).toEqual({ problem: `${missing}: it cannot be read (ENOENT): correct the path, or make it readable` });
});

it('a file in order gives its templates', () => {
  writeFileSync(file, 'Failed: "{{name}} failed"\n');
  expect(messageTemplatesIn(file)).toEqual({ templates: expect.any(Function) });
});
