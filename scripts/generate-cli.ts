/** Writes docs/cli.md and the schema of its output from the commands themselves; with `--check`, fails when a committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import * as z from 'zod';
import { causes } from '../src/api/codes/codes.ts';
import { notesOf } from '../src/cli/canaries/flags.ts';
import { installHelp } from '../src/cli/completion/scripts.ts';
import { Documents } from '../src/cli/output/documents.ts';
import { exitCodes } from '../src/cli/output/exit-codes.ts';
import { serinProgram } from '../src/cli/program.ts';
import { LARGEST_ARCHIVE } from '../src/cli/report/archive.ts';
import { leftOut } from '../src/cli/report/left-out.ts';
import { outputVersion } from '../src/reading/documents/output-version.ts';
import { cell, optionHelp, optionRows } from './command-tables.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const docs = join(import.meta.dirname, '..', 'docs');
const source = 'src/cli';

const program = serinProgram('serin');
/** Programs that run in a cluster: docs/flags.md lists their flags. */
const SERVERS = ['controller', 'loadtester'];

/** Flags that every command has; they are listed once. */
const COMMON = ['--kubeconfig', '--context', '--namespace', '--request-timeout', '--output', '--no-color', '--plain', '--help'];

function sectionOf(command: Command): string {
  const { examples = [], exits = [] } = notesOf(command) ?? {};
  const own = command.options.filter(({ long }) => !COMMON.includes(long ?? ''));
  const title = [namesOf(command), ...command.registeredArguments.map((one) => (one.required ? one.name() : `[${one.name()}]`))].join(' ');
  const alias = command.aliases().length > 0 ? ` Also \`serin ${command.aliases().join('`, `serin ')}\`.` : '';
  const codes = exits.map((name) => `${exitCodes[name].code} (${exitCodes[name].says})`);
  return [
    `### serin ${title}`,
    `${command.description()}.${alias}`,
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    ...(own.some(({ hidden }) => !hidden) ? [optionRows(own)] : []),
    ...(codes.length > 0 ? [`Exit codes of its own: ${codes.join('; ')}.`] : []),
  ].join('\n\n');
}

/** `traffic show`: with the commands that it belongs to. */
function namesOf(command: Command): string {
  const above = command.parent && command.parent !== program ? `${namesOf(command.parent)} ` : '';
  return `${above}${command.name()}`;
}

const leavesOf = (command: Command): readonly Command[] => (command.commands.length > 0 ? command.commands.flatMap(leavesOf) : [command]);

const common =
  program.commands.find((command) => command.name() === 'list')?.options.filter(({ long }) => COMMON.includes(long ?? '')) ?? [];

const parts = {
  'exit-codes': `| code | |
|---|---|
${Object.values(exitCodes)
  .map(({ code, says }) => `| ${code} | ${says} |`)
  .join('\n')}`,
  flags: `| flag | |
|---|---|
${common.map((one) => `| \`${cell(one.flags)}\` | ${cell(optionHelp(one))} |`).join('\n')}`,
  commands: program.commands
    .filter((command) => !SERVERS.includes(command.name()))
    .flatMap(leavesOf)
    .map(sectionOf)
    .join('\n\n'),
  completion: `\`\`\`
${installHelp.trim()}
\`\`\``,
  'left-out': leftOut.map((line) => `- ${line}`).join('\n'),
  causes: causes.map((cause) => `\`${cause}\``).join(', '),
};

/** JSON Schema of the output on which programs may rely. */
const schema = { $id: outputVersion, title: 'Output of serin with -o json and -o yaml', ...z.toJSONSchema(Documents) };

const said = [`a document of \`${outputVersion}\``, `${LARGEST_ARCHIVE / 1e6} MB`];
const path = join(docs, 'cli.md');
export const generate: Generate = () => [
  { path, text: withParts(readFileSync(path, 'utf8'), 'generate-cli', parts, said), source },
  {
    path: join(docs, 'schemas', 'cli-v1.json'),
    text: `${JSON.stringify(schema, undefined, 2)}\n`,
    source: 'src/cli/output/documents.ts',
  },
];

if (import.meta.main) await runAlone(generate);
