/** Writes the pictures of the demo from docs/demo/recording.json; with `--check`, fails when the committed ones differ. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from './recording/record.ts';
import { svgOf, themes } from './recording/svg.ts';
import { writeOrCheck } from './write-or-check.ts';

const folder = join(import.meta.dirname, '..', 'docs', 'demo');
const recording: Recording = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));

for (const [name, theme] of Object.entries(themes))
  writeOrCheck(
    join(folder, `demo-${name}.svg`),
    svgOf(recording, theme, 'scripts/generate-recording.ts from docs/demo/recording.json'),
    'docs/demo/recording.json',
  );
