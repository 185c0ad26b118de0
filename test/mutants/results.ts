import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Mutant, ROOMS } from './candidates.ts';
import type { Attempt } from './crew.ts';
import { verdictOn } from './verdicts.ts';

/** End of a mutant: a test noticed it, no test can notice it, or it survived. */
export type Outcome = 'killed' | 'equivalent' | 'survived';

export interface Row {
  mutant: Omit<Mutant, 'anchor' | 'start' | 'end'>;
  attempt: Attempt;
  /** Test files that were run until one failed, at most, and all that come by the mutant. */
  files: number;
  all: number;
}

export function outcomeOf({ mutant, attempt }: Row): Outcome {
  if (attempt.file !== undefined) return 'killed';
  return verdictOn(mutant) ? 'equivalent' : 'survived';
}

export interface Results {
  seed: number;
  count: number;
  rows: Row[];
}

/** Rows of an interrupted run. */
export function readResults(file: string): Row[] {
  if (!existsSync(file)) return [];
  const { rows }: Results = JSON.parse(readFileSync(file, 'utf8'));
  return rows;
}

/** The results as text, a line for each mutant. */
export function writeResults(file: string, { seed, count, rows }: Results): void {
  writeFileSync(file, `{"seed": ${seed}, "count": ${count}, "rows": [\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`);
}

export interface Tally {
  killed: number;
  equivalent: number;
  survived: number;
}

export function tallyOf(rows: readonly Row[]): Tally {
  const tally: Tally = { killed: 0, equivalent: 0, survived: 0 };
  for (const row of rows) tally[outcomeOf(row)] += 1;
  return tally;
}

/** Percentage of killed mutants, without equivalent ones. */
export const percentKilled = ({ killed, survived }: Tally): number =>
  killed + survived === 0 ? 100 : (100 * killed) / (killed + survived);

/** The table for people: rooms first, then each mutant. */
export function tableOf({ seed, rows }: Results): string {
  const rooms = ROOMS.map((room) => ({ room, tally: tallyOf(rows.filter(({ mutant }) => mutant.room === room)) }));
  const all = { room: 'all', tally: tallyOf(rows) };
  const roomLine = ({ room, tally }: { room: string; tally: Tally }): string =>
    `| ${room} | ${tally.killed + tally.equivalent + tally.survived} | ${tally.killed} | ${tally.equivalent} | ${tally.survived} | ${percentKilled(tally).toFixed(1)}% |`;
  return [
    `# Mutants of seed ${seed}`,
    '',
    `\`node test/mutants/run.ts --seed ${seed} --count ${rows.length}\` tries them again, \`--mutant ID\` one of them. Killed is of those that are not equivalent.`,
    '',
    '| room | mutants | killed by a test | equivalent | survived | killed |',
    '|---|---|---|---|---|---|',
    ...[...rooms, all].map(roomLine),
    '',
    '| id | place | kind | change | outcome | seconds |',
    '|---|---|---|---|---|---|',
    ...rows.map(rowLine),
    '',
  ].join('\n');
}

function rowLine(row: Row): string {
  const { mutant, attempt, files, all } = row;
  const change = `${cell(mutant.original)} → ${cell(mutant.mutated)}`;
  const outcome = {
    killed: `${attempt.file}${attempt.test ? `: ${escaped(attempt.test)}` : ''}`,
    equivalent: `equivalent: ${escaped(verdictOn(mutant)?.equivalent ?? '')}`,
    survived: `**survived** ${files} of ${all} files`,
  }[outcomeOf(row)];
  return `| ${mutant.id} | ${mutant.file}:${mutant.line}:${mutant.column} | ${mutant.kind} | ${change} | ${outcome} | ${attempt.seconds.toFixed(1)} |`;
}

const MOST_SHOWN = 60;

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function cell(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const short = line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
  return short === '' ? 'nothing' : `\`\` ${short.replaceAll('|', '\\|')} \`\``;
}
