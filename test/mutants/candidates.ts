import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Anchor, anchorOf } from './anchors.ts';
import { isForPeople, isLogStatement, mutationsOf } from './mutations.ts';
import { isNode, type Node, nodeAt, nodesAt, parseModule, walk } from './syntax-tree.ts';

export const root = join(import.meta.dirname, '..', '..');

/** The rooms that decide, and of which mutants are made. */
export const ROOMS = ['engine', 'controller', 'routers', 'workloads', 'metrics', 'judge'] as const;
export type Room = (typeof ROOMS)[number];

/** One change of the source that a test should notice. */
export interface Mutant {
  /** Hash of file, line and change, without the line's number: it stays when lines are added elsewhere. */
  id: string;
  room: Room;
  file: string;
  line: number;
  column: number;
  kind: string;
  /** The line in which the change begins, without white space around it. */
  within: string;
  original: string;
  mutated: string;
  start: number;
  end: number;
  /** Place where its executions are counted. */
  anchor: Anchor;
}

/** Sources of a room that have code of their own, by name. */
export function sourcesOf(room: Room): string[] {
  const files = readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => `src/${room}/${file}`)
    .sort();
}

export const readSource = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The source with the change. */
export const withMutant = (source: string, { start, end, mutated }: Pick<Mutant, 'start' | 'end' | 'mutated'>): string =>
  source.slice(0, start) + mutated + source.slice(end);

/** Every mutant of a file, in the order of the text. A few cannot be parsed. */
export function mutantsOf(room: Room, file: string, source = readSource(file)): Mutant[] {
  const seen = new Map<string, number>();
  const found: Mutant[] = [];
  walk(parseModule(file, source), (node, around) => {
    if (isForPeople(node) || isLogStatement(node) || isLoggingOnly(node)) return false;
    for (const { kind, start, end, text } of mutationsOf(node, source, around)) {
      const mutant = { start, end, mutated: text, kind, original: source.slice(start, end) };
      if (mutant.original === text) continue;
      const lineStart = source.lastIndexOf('\n', start - 1) + 1;
      const lineEnd = source.indexOf('\n', start);
      const within = source.slice(lineStart, lineEnd === -1 ? source.length : lineEnd).trim();
      const key = [file, within, kind, mutant.original, text].join('\n');
      const place = (seen.get(key) ?? 0) + 1;
      seen.set(key, place);
      const id = createHash('sha256').update(`${key}\n${place}`).digest('hex').slice(0, 8);
      const line = source.slice(0, start).split('\n').length;
      found.push({ id, room, file, line, column: start - lineStart + 1, within, ...mutant, anchor: anchorOf(node, around) });
    }
    return true;
  });
  return found.sort((a, b) => a.start - b.start || a.id.localeCompare(b.id));
}

/** A block with nothing but a log line: there is nothing that a test should notice. */
function isLoggingOnly(node: Node): boolean {
  const consequent = node.type === 'IfStatement' && node.alternate === null ? nodeAt(node, 'consequent') : undefined;
  if (!consequent) return false;
  const within = consequent.type === 'BlockStatement' ? nodesAt(consequent, 'body') : [consequent];
  return within.every((one) => isNode(one) && isLogStatement(one));
}

/** True if the changed source is still a module. */
export function isParsed(mutant: Mutant): boolean {
  try {
    parseModule(mutant.file, withMutant(readSource(mutant.file), mutant));
    return true;
  } catch {
    return false;
  }
}
