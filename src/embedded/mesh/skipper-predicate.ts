import { ingressCookie } from './ingress.ts';
import { headerOf, type MeshRequest, queryOf, requestPath } from './request.ts';

/** One predicate of a route, in Skipper's route language. */
export interface SkipperPredicate {
  name: string;
  /** Texts, regular expressions by their source, numbers. */
  args: (string | number)[];
}

/** The predicates of an annotation; undefined when the text cannot be read, which makes Skipper leave the annotation out. */
export function parsePredicates(text: string): SkipperPredicate[] | undefined {
  const found: SkipperPredicate[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const head = /^([A-Za-z]\w*)\s*\(\s*/.exec(rest);
    if (!head) return undefined;
    rest = rest.slice(head[0].length);
    const args: (string | number)[] = [];
    for (;;) {
      const value = argument(rest);
      if (value) {
        args.push(value.value);
        rest = rest.slice(value.length).trimStart();
      }
      const [next = ''] = rest;
      rest = rest.slice(1).trimStart();
      if (next === ')') break;
      if (next !== ',' || !value) return undefined;
    }
    found.push({ name: head[1] ?? '', args });
    if (rest === '') return found;
    if (!rest.startsWith('&&')) return undefined;
    rest = rest.slice(2).trimStart();
  }
  return found;
}

function argument(text: string): { value: string | number; length: number } | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"/s.exec(text);
  if (quoted) return { value: (quoted[1] ?? '').replace(/\\(.)/gs, (_, escaped: string) => unescaped(escaped)), length: quoted[0].length };
  const raw = /^`([^`]*)`/s.exec(text);
  if (raw) return { value: raw[1] ?? '', length: raw[0].length };
  const regex = /^\/((?:[^/\\]|\\.)*)\//s.exec(text);
  if (regex) return { value: (regex[1] ?? '').replaceAll('\\/', '/'), length: regex[0].length };
  const number = /^-?\d+(\.\d+)?/.exec(text);
  return number ? { value: Number(number[0]), length: number[0].length } : undefined;
}

const unescaped = (character: string): string => ({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' })[character] ?? character;

const matches = (pattern: unknown, text: string | undefined): boolean => text !== undefined && new RegExp(String(pattern)).test(text);

const tests = new Map<string, (request: MeshRequest, args: SkipperPredicate['args'], random: () => number) => boolean>([
  ['True', () => true],
  ['Weight', () => true],
  ['False', () => false],
  ['Traffic', (_, [part], random) => random() < Number(part)],
  ['Header', (request, [name, value]) => headerOf(request, String(name)) === value],
  ['HeaderRegexp', (request, [name, pattern]) => matches(pattern, headerOf(request, String(name)))],
  ['Cookie', ({ headers }, [name, pattern]) => matches(pattern, ingressCookie(headers.cookie, String(name)))],
  // Without a pattern it requires presence.
  ['QueryParam', (request, [name, pattern = '']) => matches(pattern, queryOf(request, String(name)))],
  ['Host', ({ host }, [pattern]) => matches(pattern, host.text)],
  ['HostAny', ({ host }, hosts) => hosts.includes(host.text)],
  ['Method', ({ method }, [wanted]) => method === wanted],
  ['Methods', ({ method }, wanted) => wanted.includes(method)],
  ['Path', ({ url }, [path]) => requestPath(url) === path],
  ['PathRegexp', ({ url }, [pattern]) => matches(pattern, requestPath(url))],
]);

/** Tests if a request satisfies a predicate; no request satisfies an unknown one, as a route with it would not be accepted. */
export function predicateHolds({ name, args }: SkipperPredicate, request: MeshRequest, random: () => number): boolean {
  return tests.get(name)?.(request, args, random) ?? false;
}

/** The rank among routes of one path: each predicate counts one, `Weight` its number. */
export function predicateWeight(predicates: readonly SkipperPredicate[]): number {
  return predicates.reduce((sum, { name, args }) => sum + (name === 'Weight' ? Number(args[0]) : 1), 0);
}
