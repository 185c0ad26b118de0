import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateCommand } from '../src/cli/validate/validate.ts';

const folder = (name: string) => join(import.meta.dirname, 'fixtures', name);
const filesIn = (name: string) => readdirSync(folder(name)).map((file) => ({ file, path: join(folder(name), file) }));

async function validated(path: string): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await validateCommand({ files: [path] }, (line) => lines.push(line));
  return { code, lines };
}

/** The comments at the head of a file that holds one mistake, and the line that is marked. */
function expectationsOf(path: string) {
  const text = readFileSync(path, 'utf8');
  const read = (name: string) => new RegExp(`^# ${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  return {
    ...{ severity: read('severity'), field: read('field'), remedy: read('remedy') },
    line: text.split('\n').findIndex((line) => line.endsWith('# mistake')) + 1,
  };
}

const mistakes = filesIn('mistakes');
const sound = filesIn('sound');

describe('serin validate', () => {
  it.each(mistakes)('finds the one mistake of $file, with its line, severity and remedy', async ({ path }) => {
    const { severity, field, remedy, line } = expectationsOf(path);
    const { code, lines } = await validated(path);
    expect(lines).toEqual([expect.stringContaining(`${path}:${line} `)]);
    expect(lines[0]).toContain(`: ${severity}: ${field}: `);
    expect(lines[0]).toContain(remedy);
    expect(code).toBe(severity === 'error' ? 1 : 0);
  });

  it.each(sound)('is silent on $file', async ({ path }) => {
    expect(await validated(path)).toEqual({ code: 0, lines: [] });
  });

  it('has so many of both', () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(60);
    expect(sound.length).toBeGreaterThanOrEqual(30);
  });
});
