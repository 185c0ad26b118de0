/** Writes docs/statechart.md from the chart itself and the sections of the engine's rules; with `--check`, fails when the committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decisions } from '../src/engine/decision.ts';
import { decisionWords, mermaid } from '../src/engine/diagram.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';
import { engineSections, type Section } from './rules/engine-sections.ts';

const path = join(import.meta.dirname, '..', 'docs', 'statechart.md');

const parts = {
  chart: `\`\`\`mermaid
${mermaid().trim()}
\`\`\``,
  states: `| states | file | rules | also |
|---|---|---|---|
${engineSections().flatMap(rowOf).join('\n')}`,
  decisions: `| decision | meaning |
|---|---|
${Object.entries(decisions)
  .map(([decision, meaning]) => `| ${decisionWords(decision)} | ${meaning}. |`)
  .join('\n')}`,
};

function rowOf({ name, states, rules, also }: Section): string[] {
  if (states.length === 0) return [];
  const file = `[${name}.ts](../src/engine/states/${name}.ts)`;
  const own = `[${rules.join(', ') || name}](../src/engine/SPEC.md#${name})`;
  return [`| ${states.map((state) => `\`${state}\``).join(', ')} | ${file} | ${own} | ${also.join(', ')} |`];
}

export const generate: Generate = () => [
  { path, text: withParts(readFileSync(path, 'utf8'), 'generate-statechart', parts), source: 'src/engine/states' },
];

if (import.meta.main) await runAlone(generate);
