import type { TemplateValue } from './template-syntax.ts';

/** A value as Go prints it. */
export const show = (value: TemplateValue | undefined): string =>
  typeof value === 'object'
    ? `map[${Object.entries(value)
        .sort()
        .map(([key, one]) => `${key}:${one}`)
        .join(' ')}]`
    : String(value ?? '');

/** Wider fields, and more digits, are a mistake in a query. */
const MOST = 100;
const VERB = /%(?:%|([-+0]*)((?:[1-9]\d*)?)(?:\.(\d+))?(.|$))/gsu;

/** Go's Sprintf, as far as texts, numbers and truths go: `%s %v %q %d %f %t %%`, with flags, width and digits. */
function printf([format = '', ...args]: readonly TemplateValue[]): string {
  let next = 0;
  const text = show(format).replace(VERB, (all, flags: string, width: string, digits: string | undefined, verb: string) => {
    if (all === '%%') return '%';
    if (!'svqdft'.includes(verb) || verb === '') throw new Error(`the verb ${all} of printf is not known; known are %s %v %q %d %f %t %%`);
    if (Number(width) > MOST || Number(digits) > MOST) throw new Error(`${all} is wider than ${MOST} characters`);
    if (next >= args.length) return `%!${verb}(MISSING)`;
    const one = shownAs(verb, args[next++], digits);
    return flags.includes('-') ? one.padEnd(Number(width)) : one.padStart(Number(width), flags.includes('0') ? '0' : ' ');
  });
  if (next >= args.length) return text;
  return `${text}%!(EXTRA ${args
    .slice(next)
    .map((arg) => `${goType(arg)}=${show(arg)}`)
    .join(', ')})`;
}

function shownAs(verb: string, arg: TemplateValue | undefined, digits: string | undefined): string {
  const isFit = { d: Number.isInteger(arg), f: typeof arg === 'number', t: typeof arg === 'boolean' }[verb] ?? true;
  if (!isFit) return `%!${verb}(${goType(arg)}=${show(arg)})`;
  if (verb === 'f') return Number(arg).toFixed(digits === undefined ? 6 : Number(digits));
  const text = digits === undefined || typeof arg !== 'string' ? show(arg) : [...arg].slice(0, Number(digits)).join('');
  return verb === 'q' ? JSON.stringify(text) : text;
}

function goType(arg: TemplateValue | undefined): string {
  if (typeof arg === 'number') return Number.isInteger(arg) ? 'int' : 'float64';
  return typeof arg === 'boolean' ? 'bool' : typeof arg === 'object' ? 'map[string]string' : 'string';
}

/** Go's Sprint: a space only between two values that are no texts. */
function print(args: readonly TemplateValue[]): string {
  return args
    .map((arg, at) => (at > 0 && typeof arg !== 'string' && typeof args[at - 1] !== 'string' ? ` ${show(arg)}` : show(arg)))
    .join('');
}

export const formatText = { printf, print };
