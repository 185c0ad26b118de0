import type { StringMatch } from '../api/string-match.ts';
import { RoutingError } from './routing-error.ts';

type Flavour = 'RE2' | 'PCRE';
/** Syntax that RE2 lacks: lookaround and backreferences. */
const NOT_IN_RE2 = /\(\?<?[=!]|\\[1-9]/;

/** Refuses a regex that the proxy could not compile: some then match no request, some drop the whole route. */
export function checkRegex(condition: StringMatch, field: string, flavour: Flavour): void {
  if (!('regex' in condition)) return;
  const { regex } = condition;
  const isKnown = flavour === 'PCRE' || !NOT_IN_RE2.test(regex);
  if (!isKnown || !compiles(regex)) throw RoutingError.at(`${field}.regex`, `cannot be compiled as ${flavour}: correct the expression`);
}

function compiles(regex: string): boolean {
  // Flags in front and named groups are spelled otherwise here.
  const text = regex.replace(/^\(\?[a-zA-Z]+\)/, '').replaceAll('(?P<', '(?<');
  try {
    return new RegExp(text) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
