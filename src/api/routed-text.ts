import { fieldPath, type PathStep } from '../base/field-path.ts';
import { hostOf } from '../base/host-name.ts';
import { isToken } from '../base/request-header.ts';
import type { Canary } from './canary.ts';
import { error, type Finding, ignored, type Scope } from './finding.ts';
import { capabilitiesFor } from './provider-capabilities.ts';
import { factsOf } from './providers.ts';

interface TextProblem {
  steps: readonly PathStep[];
  message: string;
}
type NamedText = readonly [steps: readonly PathStep[], text: string | undefined];

/** Metadata of objects, where lines are legal: no proxy's configuration is made of it. */
const METADATA: ReadonlySet<string> = new Set(['apex', 'primary', 'canary', 'unmanagedMetadata']);
const KUMA_MESH = 'kuma.io/mesh';
/** A tab is legal in the value of a header. */
const CONTROL = /(?!\t)\p{Cc}/u;
/** `path-value` of RFC 6265 4.1.1: ASCII without control characters and `;`. */
const COOKIE_PATH = /^[ -:<-~]*$/;
/** Headers by which HTTP/2 and Envoy express the request line. Source: RFC 9113 8.3.1. */
const REQUEST_LINE: ReadonlySet<string> = new Set([':authority', ':method', ':path', ':scheme']);
/** As deep as any text of ours, and as the parser goes. */
const DEEPEST = 24;
const MOST_FINDINGS = 20;

const HAS_CONTROL =
  'has a line break or another control character, for which a shared gateway may refuse its whole configuration: remove it (in YAML, | and > end with a line break, |- and >- do not)';
const NO_HEADER = 'is not a header name: use letters, digits and -';
const NO_COOKIE = 'is not a cookie name: use letters, digits, - and _';
const NO_DOMAIN = 'is not a domain of a cookie: write a host name without a port, as in shop.example.org';
const NO_PATH = 'is not a path of a cookie: use ASCII characters without ;';

/** Texts that would break out of the header, cookie or line of a proxy's configuration that a router writes them into (DF606). */
export function routedTextFindings(scope: Scope): Finding[] {
  const { canary } = scope;
  const { service, analysis } = canary.spec;
  const texts = Object.fromEntries(Object.entries(service).filter(([field]) => !METADATA.has(field)));
  const affinity = isAffinityUsed(scope) ? analysis.sessionAffinity : undefined;
  const problems: TextProblem[] = [
    ...controlsIn(texts, ['spec', 'service']),
    ...controlsIn(analysis.match, ['spec', 'analysis', 'match']),
    ...controlsIn(affinity, ['spec', 'analysis', 'sessionAffinity']),
    ...(scope.provider === 'kuma' ? controlsIn(canary.metadata.annotations?.[KUMA_MESH], ['metadata', 'annotations', KUMA_MESH]) : []),
    ...wrong(headerNames(canary), isHeader, NO_HEADER),
    ...(affinity ? cookieProblems(affinity) : []),
    ...hashProblems(canary),
  ];
  const byPath = new Map<string, Finding>();
  for (const { steps, message } of problems) {
    const path = fieldPath(steps);
    if (byPath.size === MOST_FINDINGS) break;
    if (!byPath.has(path)) byPath.set(path, (isWritten(scope, steps) ? error : ignored)(path, message));
  }
  return [...byPath.values()];
}

/** `cookieFindings` names an empty cookie, and fields that have no effect. */
function isAffinityUsed({ canary, provider }: Scope): boolean {
  return provider === undefined || capabilitiesFor(canary, provider).sessionAffinity;
}

function isWritten({ canary, provider }: Scope, steps: readonly PathStep[]): boolean {
  if (provider === undefined) return true;
  if (steps[1] === 'service') return factsOf(provider).writes !== 'nothing';
  return steps[2] !== 'match' || capabilitiesFor(canary, provider).headerMatch;
}

/** Checks every text in a value, and the names in its maps. */
function* controlsIn(value: unknown, steps: readonly PathStep[]): Generator<TextProblem> {
  if (typeof value === 'string' && CONTROL.test(value)) yield { steps, message: HAS_CONTROL };
  if (typeof value !== 'object' || value === null || steps.length > DEEPEST) return;
  for (const [key, each] of Object.entries(value)) {
    const inner = [...steps, Array.isArray(value) ? Number(key) : key];
    if (CONTROL.test(key)) yield { steps: inner, message: HAS_CONTROL };
    yield* controlsIn(each, inner);
  }
}

function wrong(texts: readonly NamedText[], isFine: (text: string) => boolean, message: string): TextProblem[] {
  return texts.flatMap(([steps, text]) => (text === undefined || isFine(text) ? [] : [{ steps, message }]));
}

const isHeader = (name: string): boolean => isToken(name) || REQUEST_LINE.has(name);
const isCookiePath = (path: string): boolean => COOKIE_PATH.test(path);

/** Browsers pass over a dot at the beginning; RFC 6265 5.2.3. */
function isCookieDomain(domain: string): boolean {
  const host = hostOf(domain.replace(/^\./, ''));
  return domain === '' || (host !== undefined && !host.startsWith('*'));
}

function headerNames({ spec: { service, analysis } }: Canary): NamedText[] {
  const { headers, corsPolicy } = service;
  const keys = (map: object | undefined, ...steps: PathStep[]) =>
    Object.keys(map ?? {}).map((name): NamedText => [['spec', ...steps, name], name]);
  // One entry may name several, as the header itself does.
  const listed = (field: 'allowHeaders' | 'exposeHeaders') =>
    (corsPolicy?.[field] ?? []).flatMap((text, index) =>
      text.split(',').flatMap((name): NamedText[] => (name.trim() ? [[['spec', 'service', 'corsPolicy', field, index], name.trim()]] : [])),
    );
  return [
    ...(analysis.match ?? []).flatMap((entry, index) => keys(entry.headers, 'analysis', 'match', index, 'headers')),
    ...(service.match ?? []).flatMap((entry, index) => [
      ...keys(entry.headers, 'service', 'match', index, 'headers'),
      ...keys(entry.withoutHeaders, 'service', 'match', index, 'withoutHeaders'),
    ]),
    ...(['request', 'response'] as const).flatMap((side) => [
      ...keys(headers?.[side]?.set, 'service', 'headers', side, 'set'),
      ...keys(headers?.[side]?.add, 'service', 'headers', side, 'add'),
      ...(headers?.[side]?.remove ?? []).map((name, index): NamedText => [['spec', 'service', 'headers', side, 'remove', index], name]),
    ]),
    ...listed('allowHeaders'),
    ...listed('exposeHeaders'),
  ];
}

function cookieProblems(affinity: NonNullable<Canary['spec']['analysis']['sessionAffinity']>): TextProblem[] {
  const of = (field: 'cookieName' | 'primaryCookieName' | 'domain' | 'path'): NamedText => [
    ['spec', 'analysis', 'sessionAffinity', field],
    affinity[field],
  ];
  // An empty name is none.
  const names = [of('cookieName'), of('primaryCookieName')].filter(([, name]) => name !== '');
  return [
    ...wrong(names, isToken, NO_COOKIE),
    ...wrong([of('domain')], isCookieDomain, NO_DOMAIN),
    ...wrong([of('path')], isCookiePath, NO_PATH),
  ];
}

/** Header and cookie by which Istio chooses a pod. */
function hashProblems({ spec: { service } }: Canary): TextProblem[] {
  const { httpHeaderName, httpCookie } = service.trafficPolicy?.loadBalancer?.consistentHash ?? {};
  const steps: PathStep[] = ['spec', 'service', 'trafficPolicy', 'loadBalancer', 'consistentHash'];
  return [
    ...wrong([[[...steps, 'httpHeaderName'], httpHeaderName]], isHeader, NO_HEADER),
    ...wrong([[[...steps, 'httpCookie', 'name'], httpCookie?.name]], isToken, NO_COOKIE),
    ...wrong([[[...steps, 'httpCookie', 'path'], httpCookie?.path]], isCookiePath, NO_PATH),
  ];
}

/** A number of requests in words, as in `1 request`. */
export const requestsText = (requests: number): string => `${requests} ${requests === 1 ? 'request' : 'requests'}`;
