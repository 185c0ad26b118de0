import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { validateCommand } from './validate.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'examples');

/** Paths of all fields below. */
function pathsIn(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: (readonly [string | number, unknown])[] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])]);
}

it.each(readdirSync(EXAMPLES).filter((file) => file.endsWith('.yaml')))(
  '%s is checked to its end, whichever field is null',
  async (file) => {
    const broken: string[] = [];
    const texts = parseAllDocuments(readFileSync(join(EXAMPLES, file), 'utf8'));
    for (const [index, document] of texts.entries())
      for (const path of pathsIn(document.toJS())) {
        const changed = texts.map((one) => one.clone());
        changed[index]?.setIn(path, null);
        const stdin = Buffer.from(changed.map(String).join('---\n'));
        try {
          await validateCommand(
            { files: ['-'], stdin },
            () => undefined,
            () => undefined,
          );
        } catch (error) {
          broken.push(
            `${document.get('kind')} ${path.join('.')}: ${error instanceof Error ? error.stack?.split('\n').slice(0, 2).join(' ') : String(error)}`,
          );
        }
      }
    expect(broken).toEqual([]);
  },
);
