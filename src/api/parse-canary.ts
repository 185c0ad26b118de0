import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isRecord, type JsonRecord } from '../base/json.ts';
import { keptIn, oncePerObject } from '../base/once.ts';
import { AlertProvider } from './alert-provider.ts';
import { Canary } from './canary.ts';
import type { CanaryStatus } from './canary-status.ts';
import { knativeApiVersion } from './knative.ts';
import type { KubeObject } from './kube-object.ts';
import { MetricTemplate } from './metric-template.ts';
import { parseStatus } from './parse-status.ts';
import { type Problem, problemsOf } from './problem.ts';

export type { Problem } from './problem.ts';

/**
 * A Canary that the rest of Serin can trust, or its problems. Accepts all that Flagger can run: an optional field that is null counts as absent, unknown fields
 * are ignored, unreadable fields of a status are dropped one by one. Never throws, for any input. Of metadata only the fields that a manifest must have are
 * required; the server adds the rest.
 */
export function parseCanary(raw: KubeObject): { canary: Canary } | { problems: Problem[] } {
  const input = prepared(raw);
  const { status, ...rest } = input;
  const readable = { ...rest, metadata: serverMetadata(rest.metadata), spec: canarySpec(rest.spec) };
  const parsed = Canary.safeParse(readable);
  if (!parsed.success) return { problems: problemsOf(parsed.error, readable) };
  return { canary: withStatus(parsed.data, parseStatus(status)) };
}

const parsedStatuses = new WeakMap<object, { status: CanaryStatus | undefined }>();

/** Like `parseStatus`, but only once for an object that is never changed in place. */
export function parseStatusOnce(raw: object): CanaryStatus | undefined {
  return keptIn(parsedStatuses, raw, () => ({ status: itselfOr(parseStatus(withoutNulls(raw, 1)), raw) })).status;
}

/** Marks a status that Serin has sent itself, which is not parsed. */
export function isParsed(raw: object): void {
  parsedStatuses.set(raw, { status: raw as CanaryStatus });
}

const parsedSpecs = new WeakMap<object, Canary['spec']>();
const Unspecified = Canary.omit({ spec: true });

/**
 * Like `parseCanary`, but only once for an object that is never changed in place, as in watches and responses of the API server; also only once for each spec
 * and status, which several objects can share.
 */
export const parseCanaryOnce = oncePerObject(({ status, ...raw }: KubeObject): ReturnType<typeof parseCanary> => {
  const parsed = withKnownSpec(raw) ?? parseCanary(raw);
  if ('problems' in parsed) return parsed;
  const { canary } = parsed;
  if (!isRecord(raw.spec)) return parsed;
  const spec = keptIn(parsedSpecs, raw.spec, () => itselfOr(canary.spec, raw.spec));
  return { canary: withStatus({ ...canary, spec }, isRecord(status) ? parseStatusOnce(status) : undefined) };
});

function withKnownSpec({ spec, ...rest }: KubeObject): { canary: Canary } | undefined {
  const known = isRecord(spec) ? parsedSpecs.get(spec) : undefined;
  if (known === undefined) return undefined;
  const input = prepared(rest);
  const { data } = Unspecified.safeParse({ ...input, metadata: serverMetadata(input.metadata) });
  return data && { canary: { ...data, spec: known } };
}

/** The raw value itself if parsing has changed nothing: it is kept anyway, and a copy would double the memory. */
const itselfOr = <T>(parsed: T, raw: unknown): T => (isDeepStrictEqual(parsed, raw) ? (raw as T) : parsed);

const withStatus = (canary: Canary, status: Canary['status']): Canary => (status === undefined ? canary : { ...canary, status });

/** Like `parseCanary`, for a MetricTemplate. */
export function parseMetricTemplate(raw: KubeObject): { metricTemplate: MetricTemplate } | { problems: Problem[] } {
  const parsed = parse(MetricTemplate, raw);
  return 'problems' in parsed ? parsed : { metricTemplate: parsed.data };
}

/** Like `parseCanary`, for an AlertProvider. */
export function parseAlertProvider(raw: KubeObject): { alertProvider: AlertProvider } | { problems: Problem[] } {
  const parsed = parse(AlertProvider, raw);
  return 'problems' in parsed ? parsed : { alertProvider: parsed.data };
}

function parse<T>(schema: z.ZodType<T>, raw: KubeObject): { data: T } | { problems: Problem[] } {
  const input = prepared(raw);
  const parsed = schema.safeParse({ ...input, metadata: serverMetadata(input.metadata) });
  return parsed.success ? { data: parsed.data } : { problems: problemsOf(parsed.error, input) };
}

function prepared(raw: unknown): JsonRecord {
  const input = withoutNulls(raw, 0);
  return isRecord(input) ? input : {};
}

/** A manifest has no uid, generation or resourceVersion yet, and no namespace if it belongs to the default one. */
function serverMetadata(metadata: unknown): unknown {
  return isRecord(metadata) ? { namespace: 'default', uid: '', generation: 0, resourceVersion: '', ...metadata } : metadata;
}

function canarySpec(spec: unknown): unknown {
  if (!isRecord(spec)) return spec;
  const { canaryAnalysis, ...rest } = spec;
  const target = rest.targetRef;
  // Knative makes its own Services, so its Canaries omit `service`; the port only makes it valid.
  const isKnative = isRecord(target) && target.kind === 'Service' && target.apiVersion === knativeApiVersion;
  return {
    ...rest,
    ...(rest.analysis === undefined && canaryAnalysis !== undefined ? { analysis: canaryAnalysis } : {}),
    ...(rest.service === undefined ? (isKnative ? { service: { port: 80 } } : {}) : { service: service(rest.service, isKnative) }),
  };
}

function service(raw: unknown, isKnative: boolean): unknown {
  if (!isRecord(raw)) return raw;
  const match = raw.match;
  return {
    ...(isKnative ? { port: 80 } : {}),
    ...raw,
    ...(Array.isArray(match) ? { match: match.map(routeMatch) } : {}),
  };
}

const single = ['uri', 'scheme', 'method', 'authority'];
const mapped = ['headers', 'queryParams', 'withoutHeaders'];

/** Removes empty conditions of the route, which mean none, and `suffix` beside another form, as the CRD does. */
function routeMatch(match: unknown): unknown {
  if (!isRecord(match)) return match;
  const entries = Object.entries(match).flatMap(([name, value]): [string, unknown][] => {
    if (single.includes(name)) return isEmpty(value) ? [] : [[name, condition(value)]];
    if (!mapped.includes(name) || !isRecord(value)) return [[name, value]];
    return [[name, Object.fromEntries(Object.entries(value).flatMap(([key, each]) => (isEmpty(each) ? [] : [[key, condition(each)]])))]];
  });
  return Object.fromEntries(entries);
}

function condition(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const known = Object.entries(value).filter(([form]) => form === 'exact' || form === 'prefix' || form === 'regex');
  return known.length > 0 ? Object.fromEntries(known) : value;
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Deeper than any field of Serin; values below are not checked, so that nesting cannot exhaust the stack. */
const deepest = 24;

function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return value.map((each) => withoutNulls(each, depth + 1));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key, each]) => each !== null && key !== '__proto__');
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutNulls(each, depth + 1)]));
}
