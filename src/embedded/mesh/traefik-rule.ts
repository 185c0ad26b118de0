import { headerOf, type MeshRequest, queryOf, requestPath } from './request.ts';

/** A parsed rule of an IngressRoute. */
export interface TraefikRule {
  matches(request: MeshRequest): boolean;
  /** The hosts that it names, whether or not they are negated. */
  hosts: readonly string[];
}

const TOKEN = /\s*(?:(&&|\|\||!|\(|\)|,)|([A-Za-z]+)(?=\s*\()|`([^`]*)`|"((?:[^"\\]|\\.)*)")/y;
type RuleToken = { word: string } | { text: string };
type RuleTest = (request: MeshRequest) => boolean;

/** Undefined where Traefik would not make a router of it: a syntax error, or a matcher that is not known here. */
export function parseRule(rule: string): TraefikRule | undefined {
  const tokens = tokensOf(rule);
  if (!tokens) return undefined;
  const hosts: string[] = [];
  let at = 0;
  const isNext = (word: string): boolean => {
    const token = tokens[at];
    if (!token || !('word' in token) || token.word !== word) return false;
    at += 1;
    return true;
  };
  const matches = either();
  return matches && at === tokens.length ? { matches, hosts } : undefined;

  function either(): RuleTest | undefined {
    let left = all();
    while (left && isNext('||')) {
      const [before, right] = [left, all()];
      left = right && ((request) => before(request) || right(request));
    }
    return left;
  }
  function all(): RuleTest | undefined {
    let left = one();
    while (left && isNext('&&')) {
      const [before, right] = [left, one()];
      left = right && ((request) => before(request) && right(request));
    }
    return left;
  }
  function one(): RuleTest | undefined {
    if (isNext('!')) {
      const inner = one();
      return inner && ((request) => !inner(request));
    }
    if (isNext('(')) {
      const inner = either();
      return isNext(')') ? inner : undefined;
    }
    const token = tokens?.[at];
    if (!token || !('word' in token)) return undefined;
    at += 1;
    const args = isNext('(') ? texts() : undefined;
    const test = args && matcher(token.word, args);
    if (args && token.word === 'Host') hosts.push(...args.map((host) => host.toLowerCase()));
    return test;
  }
  function texts(): string[] | undefined {
    const found: string[] = [];
    do {
      const token = tokens?.[at];
      if (!token || !('text' in token)) return undefined;
      found.push(token.text);
      at += 1;
    } while (isNext(','));
    return isNext(')') ? found : undefined;
  }
}

function tokensOf(rule: string): RuleToken[] | undefined {
  const tokens: RuleToken[] = [];
  TOKEN.lastIndex = 0;
  const end = rule.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const found = TOKEN.exec(rule);
    if (!found) return undefined;
    const [, sign, name, raw, quoted] = found;
    const word = sign ?? name;
    tokens.push(word === undefined ? { text: raw ?? (quoted ?? '').replace(/\\(.)/g, '$1') } : { word });
  }
  return tokens;
}

/** Source: Traefik v3 "Routers"; the names and the several hosts or paths in one matcher are v2's. */
function matcher(name: string, args: readonly string[]): RuleTest | undefined {
  const [key = '', value] = args;
  const header = (request: MeshRequest) => headerOf(request, key);
  const query = (request: MeshRequest) => queryOf(request, key);
  const has = (pattern: string, text: string | undefined) => text !== undefined && new RegExp(pattern).test(text);
  const isAny = (test: (arg: string, request: MeshRequest) => boolean) => (request: MeshRequest) => args.some((arg) => test(arg, request));
  switch (name) {
    case 'Host':
      return isAny((arg, { host }) => host.text.toLowerCase() === arg.toLowerCase());
    case 'HostRegexp':
      return isAny((arg, { host }) => has(arg, host.text));
    case 'Path':
      return isAny((arg, { url }) => requestPath(url) === arg);
    case 'PathPrefix':
      return isAny((arg, { url }) => requestPath(url).startsWith(arg));
    case 'PathRegexp':
      return isAny((arg, { url }) => has(arg, requestPath(url)));
    case 'Method':
      return isAny((arg, { method }) => method === arg.toUpperCase());
    case 'Header':
    case 'Headers':
      return (request) => header(request) === value;
    case 'HeaderRegexp':
    case 'HeadersRegexp':
      return (request) => has(value ?? '', header(request));
    case 'Query':
      return (request) => (value === undefined ? query(request) !== undefined : query(request) === value);
    case 'QueryRegexp':
      return (request) => has(value ?? '', query(request));
    default:
      return undefined;
  }
}
