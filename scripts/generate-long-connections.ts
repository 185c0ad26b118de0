/** Writes what runs on a real node have shown into docs/long-connections.md; with `--check`, fails when the committed one differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Seen } from '../test/node/clients/client.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const root = join(import.meta.dirname, '..');
const path = join(root, 'docs', 'long-connections.md');
const source = 'test/node/recorded/long-connections.json';

/** By way, by how the application ends, by kind of client. */
type Releases = Record<string, Record<string, Record<string, Seen>>>;

function connectionTables(ways: Releases): string[] {
  return Object.entries(ways).flatMap(([way, endings]) => {
    const kinds = [...new Set(Object.values(endings).flatMap((release) => Object.keys(release)))];
    return [
      '',
      `| through ${way} | ${kinds.join(' | ')} |`,
      `|---|${kinds.map(() => '---|').join('')}`,
      ...Object.entries(endings).map(([ending, release]) => `| ${ending} | ${kinds.map((kind) => seenText(release[kind])).join(' | ')} |`),
    ];
  });
}

function seenText(seen: Seen | undefined): string {
  if (seen === undefined) return '';
  const { lost, cut, answers } = seen;
  const sent = Object.values(answers).reduce((sum, count) => sum + count, lost.length);
  const found = [...(lost.length > 0 ? [`${lost.length} of ${sent} lost`] : []), ...(cut > 0 ? [`${cut} cut`] : [])];
  return found.length === 0 ? 'nothing' : found.join(', ');
}

export const generate: Generate = () => {
  const lines = connectionTables(JSON.parse(readFileSync(join(root, source), 'utf8')) as Releases);
  return [{ path, text: withParts(readFileSync(path, 'utf8'), 'generate-long-connections', { tables: lines.join('\n') }), source }];
};

if (import.meta.main) await runAlone(generate);
