/** Writes the pictures of the demo from docs/demo/recording.json; with `--check`, fails when the committed ones differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import type { Recording } from './recording/record.ts';
import { svgOf, themes } from './recording/svg.ts';

const folder = join(import.meta.dirname, '..', 'docs', 'demo');
const recording: Recording = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));

export const generate: Generate = () =>
  Object.entries(themes).map(([name, theme]) => ({
    path: join(folder, `demo-${name}.svg`),
    text: svgOf(recording, theme, 'scripts/generate-recording.ts from docs/demo/recording.json'),
    source: 'docs/demo/recording.json',
  }));

if (import.meta.main) await runAlone(generate);
