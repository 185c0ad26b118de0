import { NAMESPACES } from '../recording/recording.ts';

/** PromQL without differences of spelling: white space, the order of matchers, and the length of a window, which DF2 cuts. */
export function queryShape(query: string): string {
  return NAMESPACE_IN_ROUTE_NAMES.reduce((text, name) => text.replaceAll(name, 'NAMESPACE'), query)
    .replace(/\s+/g, '')
    .replace(/\[\d+[smh]\]/g, '[WINDOW]')
    .replace(/\{((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}/g, (_, matchers: string) => `{${(matchers.match(MATCHER) ?? []).sort().join(',')}}`);
}

/** Skipper's names of routes have underscores only. */
const NAMESPACE_IN_ROUTE_NAMES = Object.values(NAMESPACES).map((name) => name.replaceAll('-', '_'));

/** A label, an operator and a quoted value. */
const MATCHER = /\w+[=!~]+"(?:[^"\\]|\\.)*"/g;
