import { formatText, show } from './template-printf.ts';
import type { TemplateValue } from './template-syntax.ts';

type TemplateFunction = (args: readonly TemplateValue[]) => TemplateValue;

/** Truth of a value in Go templates: an empty text, 0, false and an empty map are false. */
export const truthOf = (value: TemplateValue | undefined) => (typeof value === 'object' ? Object.keys(value).length > 0 : Boolean(value));

/** Less than, for two numbers or two texts, as in Go; texts by their bytes. */
function isLess(a: TemplateValue | undefined, b: TemplateValue | undefined): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
  throw new Error('only two numbers or two texts can be compared');
}

const isEqual = (a: TemplateValue | undefined, b: TemplateValue | undefined): boolean => {
  if (typeof a !== typeof b || typeof a === 'object') throw new Error('only values of one kind can be compared');
  return a === b;
};

/** `index` of a map or of the map in it; a missing key gives the empty text, unlike a missing field. */
function index([value, ...keys]: readonly TemplateValue[]): TemplateValue {
  if (keys.length === 0) return value ?? '';
  const [key, ...rest] = keys;
  if (typeof value !== 'object') throw new Error('only variables can be indexed');
  return index([Object.hasOwn(value, show(key)) ? (value[show(key)] ?? '') : '', ...rest]);
}

function slice([value, from = 0, to]: readonly TemplateValue[]): string {
  if (typeof value !== 'string') throw new Error('only a text can be sliced');
  const bytes = Buffer.from(value);
  const [start, end] = [Number(from), to === undefined ? bytes.length : Number(to)];
  if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= bytes.length))
    throw new Error(`no slice from ${show(from)} to ${end} of a text of ${bytes.length} bytes`);
  return bytes.subarray(start, end).toString();
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', "'": '&#39;', '<': '&lt;', '>': '&gt;', '"': '&#34;', '\0': '\uFFFD' };
const joined = (args: readonly TemplateValue[]) => formatText.print(args);

/** Go's built-in functions. `call`, which runs its argument, is left out on purpose: no value here is a function. */
export const templateFunctions: Readonly<Record<string, TemplateFunction>> = {
  printf: formatText.printf,
  print: joined,
  println: (args) => `${args.map(show).join(' ')}\n`,
  urlquery: (args) => encodeURIComponent(joined(args)).replaceAll('%20', '+'),
  html: (args) => joined(args).replace(/[&'<>"\0]/g, (character) => HTML[character] ?? ''),
  js: (args) =>
    joined(args)
      .replace(/[\\'"]/g, '\\$&')
      .replace(/[<>&=\p{Cc}]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`),
  index,
  slice,
  len: ([value]) => {
    if (typeof value === 'object') return Object.keys(value).length;
    if (typeof value === 'string') return Buffer.byteLength(value);
    throw new Error('only a text and variables have a length');
  },
  and: (args) => args.find((arg) => !truthOf(arg)) ?? args.at(-1) ?? '',
  or: (args) => args.find(truthOf) ?? args.at(-1) ?? '',
  not: ([value]) => !truthOf(value),
  eq: ([value, ...others]) => others.some((other) => isEqual(value, other)),
  ne: ([a, b]) => !isEqual(a, b),
  lt: ([a, b]) => isLess(a, b),
  le: ([a, b]) => !isLess(b, a),
  gt: ([a, b]) => isLess(b, a),
  ge: ([a, b]) => !isLess(a, b),
};

/** Minimum number of arguments of a function; 0 for those of `print`. */
export const leastArguments = (name: string): number =>
  name.startsWith('print') ? 0 : ['eq', 'ne', 'lt', 'le', 'gt', 'ge'].includes(name) ? 2 : 1;

export const showValue = show;
