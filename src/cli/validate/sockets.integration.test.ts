import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { validateCommand } from './validate.ts';

it('a socket in a folder is a finding, and is not opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-socket-'));
  const connections: unknown[] = [];
  const server = createServer((connection) => connections.push(connection));
  await once(server.listen(join(folder, 's.yaml')), 'listening');
  const lines: string[] = [];
  try {
    expect(await validateCommand({ files: [folder] }, (line) => lines.push(line))).toBe(1);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
  expect(lines).toEqual([`${folder}/s.yaml: error: is not a regular file: remove it, or name the files without it`]);
  expect(connections).toEqual([]);
});
