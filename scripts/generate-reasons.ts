/** Writes docs/reasons.md from the closed list of codes; with `--check`, fails when the committed file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MOST_BLOCKERS } from '../src/api/blocker.ts';
import { actors, type Code, type CodeKind } from '../src/api/codes/code.ts';
import { type CodeName, remedyOf } from '../src/api/codes/codes.ts';
import { codes } from '../src/api/codes/list.ts';
import { Ending } from '../src/api/ending.ts';
import { formerNames } from './former-names.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const path = join(import.meta.dirname, '..', 'docs', 'reasons.md');
const source = 'src/api/codes/list.ts';

const PLACES: Readonly<Record<CodeKind, string>> = {
  event: 'event',
  blocker: 'blocker',
  cause: '`serin why`',
  condition: 'condition',
  ending: '`ending`',
};

/** The remedy, then the command that ends it or shows more. */
function whatToDo(name: CodeName): string {
  const { command, look, page }: Code = codes[name];
  const commands = [command, look].filter((line) => line !== undefined).map((line) => `\`${line}\``);
  const { ended }: Code = codes[name];
  const after = ended === undefined || ended.remedy === remedyOf(name) ? [] : [`where it ended a release: ${ended.remedy}`];
  return [remedyOf(name), ...commands, ...after, ...(page === undefined ? [] : [`[${page.split('#')[0]}](${page})`])].join('; ');
}

const codeRows = (Object.keys(codes) as CodeName[]).toSorted().map((name) => {
  const { kinds, meaning, actor, usualCauses = '' }: Code = codes[name];
  const seen = kinds.map((kind) => PLACES[kind]).join(', ');
  return `| \`${name}\` | ${seen} | ${meaning} | ${actors[actor]} | ${whatToDo(name)} | ${usualCauses} |`;
});

const endingFields = Object.entries(Ending.shape).map(([field, schema]) => `| \`${field}\` | ${schema.description} |`);

const formerRows = Object.entries(formerNames).map(([now, former]) => `| \`${former}\` | \`${now}\` |`);

const parts = {
  codes: `| code | seen as | meaning | who can act | what to do | usual causes |
|---|---|---|---|---|---|
${codeRows.join('\n')}`,
  endings: `| field | |
|---|---|
${endingFields.join('\n')}`,
  former: `| before | now |
|---|---|
${formerRows.join('\n')}`,
};

export const generate: Generate = () => {
  const page = readFileSync(path, 'utf8');
  if (!page.includes(`at most ${MOST_BLOCKERS} entries`)) throw new Error(`docs/reasons.md does not say: at most ${MOST_BLOCKERS} entries`);
  return [{ path, text: withParts(page, 'generate-reasons', parts), source }];
};

if (import.meta.main) await runAlone(generate);
