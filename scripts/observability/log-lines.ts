import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** They log for themselves: the cluster of the demo and the load tester. */
const OTHER_PROCESSES = /^(embedded|loadtester|cli.loadtester)/;

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  /** In the code's order, with the fields that only some lines have. */
  fields: readonly string[];
  /** Constant; undefined where the line repeats what an event says. */
  message: string | undefined;
  /** For the operator who has to correct it. */
  file: string;
}

/** Each kind of line that the controller logs, read from its source. A call that this cannot read is an error: its fields would be undocumented. */
export function logLines(root: string): LogLine[] {
  const sources = join(root, 'src');
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !OTHER_PROCESSES.test(file))
    .sort()
    .flatMap((file) => linesOf(readFileSync(join(sources, file), 'utf8'), file));
}

export function linesOf(source: string, file: string): LogLine[] {
  return [...source.matchAll(/\blog\??\.(debug|info|warn|error)\(/g)].map((call) => {
    const [fields = '', message = ''] = split(inside(source, call.index + call[0].length - 1));
    if (!fields.startsWith('{')) throw new Error(`${file}: write the fields of this line where it is logged: ${call[0]}${fields}`);
    const constant = /^'([^']*)'$/.exec(message)?.[1];
    return { level: call[1] as LogLine['level'], fields: split(inside(fields, 0)).flatMap(fieldsOf), message: constant, file };
  });
}

/** `name`, `name: value`, or `...(condition && { name: value })`. */
function fieldsOf(property: string): string[] {
  if (!property.startsWith('...')) return [/^\w+/.exec(property)?.[0] ?? property];
  const object = property.indexOf('{');
  return object < 0 ? [property] : split(inside(property, object)).flatMap(fieldsOf);
}

/** The text between the bracket at this place and its closing bracket. */
function inside(text: string, opening: number): string {
  let depth = 0;
  for (let at = opening; at < text.length; at += 1) {
    if ('([{'.includes(text[at] ?? ' ')) depth += 1;
    if (')]}'.includes(text[at] ?? ' ')) depth -= 1;
    if (depth === 0) return text.slice(opening + 1, at);
  }
  throw new Error(`nothing closes ${text.slice(opening, opening + 40)}`);
}

/** By the commas that are in no bracket and no text. */
function split(text: string): string[] {
  const parts = [''];
  let depth = 0;
  let quote = '';
  for (const character of text) {
    if (quote === '' && "'`".includes(character)) quote = character;
    else if (character === quote) quote = '';
    if (quote === '' && '([{'.includes(character)) depth += 1;
    if (quote === '' && ')]}'.includes(character)) depth -= 1;
    if (quote === '' && depth === 0 && character === ',') parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
