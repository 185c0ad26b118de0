import type { TemplateValue } from './template-syntax.ts';

type TemplateFunction = (args: readonly TemplateValue[]) => TemplateValue;

const show = (value: TemplateValue | undefined): string =>
  typeof value === 'object'
    ? `map[${Object.entries(value)
        .sort()
        .map(([key, one]) => `${key}:${one}`)
        .join(' ')}]`
    : String(value ?? '');
const isTrue = (value: TemplateValue | undefined) => (typeof value === 'object' ? Object.keys(value).length > 0 : Boolean(value));

function printf([format = '', ...args]: readonly TemplateValue[]): string {
  let next = 0;
  const text = show(format).replace(/%(?:(%)|([svqd]))/g, (_, percent: string | undefined, verb: string) => {
    if (percent) return '%';
    if (next >= args.length) return `%!${verb}(MISSING)`;
    const arg = args[next++];
    return verb === 'q' ? JSON.stringify(show(arg)) : show(arg);
  });
  return next < args.length
    ? `${text}%!(EXTRA ${args
        .slice(next)
        .map((arg) => `string=${show(arg)}`)
        .join(', ')})`
    : text;
}

/** Go's built-in functions that make sense in a query. `call`, which runs what it is given, is left out on purpose. */
export const templateFunctions: Readonly<Record<string, TemplateFunction>> = {
  printf,
  print: (args) => args.map(show).join(''),
  println: (args) => `${args.map(show).join(' ')}\n`,
  urlquery: (args) => encodeURIComponent(args.map(show).join('')).replaceAll('%20', '+'),
  /** A missing key is the empty text, unlike a missing field. */
  index: ([map, key]) => (typeof map === 'object' ? (map[show(key)] ?? '') : ''),
  len: ([value]) => (typeof value === 'object' ? Object.keys(value).length : Buffer.byteLength(show(value))),
  and: (args) => args.find((arg) => !isTrue(arg)) ?? args.at(-1) ?? '',
  or: (args) => args.find(isTrue) ?? args.at(-1) ?? '',
  not: ([value]) => !isTrue(value),
  eq: ([value, ...others]) => others.includes(value as TemplateValue),
  ne: ([a, b]) => a !== b,
};

export const showValue = show;
