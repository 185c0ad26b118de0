/** Writes the tables of metric backends in docs/metrics.md and of receivers in docs/alerts.md, from their cases; with `--check`, fails when they differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backendCases } from '../test/contracts/metric-backends/index.ts';
import { notifierCases } from '../test/contracts/notifiers/index.ts';
import type { Generate, GeneratedFile } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const root = join(import.meta.dirname, '..');

const pageWith = (page: string, part: string, source: string, lines: readonly string[]): GeneratedFile => {
  const path = join(root, 'docs', page);
  return { path, text: withParts(readFileSync(path, 'utf8'), 'generate-plug-ins', { [part]: lines.join('\n') }), source };
};

export const generate: Generate = () => [
  pageWith('metrics.md', 'backends', 'test/contracts/metric-backends', [
    '| type | address | keys of the Secret | the query |',
    '|---|---|---|---|',
    ...Object.entries(backendCases).map(([type, { docs }]) => `| \`${type}\` | ${docs.address} | ${docs.keys} | ${docs.query} |`),
  ]),
  pageWith('alerts.md', 'receivers', 'test/contracts/notifiers', [
    '| `type` | what it is | of the Secret |',
    '|---|---|---|',
    ...Object.entries(notifierCases).map(([type, { docs }]) => `| \`${type}\` | ${docs.is} | ${docs.keys} |`),
  ]),
];

if (import.meta.main) await runAlone(generate);
