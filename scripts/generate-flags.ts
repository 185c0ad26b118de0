/** Writes docs/flags.md from the flags of the two servers; with `--check`, fails when the committed page differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ignoredFlags } from '../src/cli/ignored-flags.ts';
import { serinProgram } from '../src/cli/program.ts';
import { type Flag, flagEntries, writtenName } from '../src/controller/flags.ts';
import { cell, optionRows } from './command-tables.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const defaultOf = ({ kind, fallback, shown }: Flag): string => {
  if (kind === 'switch') return fallback === true ? 'on' : 'off';
  if (fallback === undefined || fallback === '') return shown ?? '';
  return `\`${fallback}\``;
};

const chartOf = ({ chart }: Flag): string => (typeof chart === 'string' ? `\`${chart}\`` : `none (${chart.none})`);

function rowOf([name, flag]: (typeof flagEntries)[number]): string {
  const { value, help, choices, env } = flag;
  const also = [...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]), ...(env === undefined ? [] : [`\`$${env}\` wins`])];
  const cells = [
    `\`--${writtenName(name)}${value === undefined ? '' : ` ${value}`}\``,
    defaultOf(flag),
    [help, ...also].join('; '),
    chartOf(flag),
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

const loadTester = serinProgram('serin').commands.find((command) => command.name() === 'loadtester');
if (loadTester === undefined) throw new Error('serin has no command loadtester');

const byReason = Map.groupBy(Object.entries(ignoredFlags), ([, reason]) => reason);
const ignored = [...byReason].map(([reason, all]) => `| ${all.map(([flag]) => `\`--${flag}\``).join(', ')} | ${reason} |`);

const parts = {
  controller: `| flag | default | | chart |
|---|---|---|---|
${flagEntries
  .filter(([, { isHidden }]) => isHidden !== true)
  .map(rowOf)
  .join('\n')}`,
  loadtester: optionRows(loadTester.options),
  ignored: `| flag | because |
|---|---|
${ignored.join('\n')}`,
};

const path = join(import.meta.dirname, '..', 'docs', 'flags.md');
export const generate: Generate = () => [
  { path, text: withParts(readFileSync(path, 'utf8'), 'generate-flags', parts), source: 'src/controller/flags.ts' },
];

if (import.meta.main) await runAlone(generate);
