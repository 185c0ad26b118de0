import type { Canary } from '../../api/canary.ts';
import { names } from '../../api/names.ts';
import { isRecord } from '../../base/json.ts';
import { quotedPieces } from './quoted-pieces.ts';

interface Rewritten {
  /** Absent if the ScaledObject has no list of triggers. */
  triggers?: readonly unknown[];
  warnings: readonly string[];
}

interface Trigger {
  type?: string;
  name?: string;
  metadata?: { query?: unknown; name?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/** Languages that quote the names of applications; a bare word is one of their functions or metrics. */
const QUOTED_ONLY = new Set(['prometheus', 'loki']);

type Given = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The triggers of the primary's ScaledObject: those named in `primaryScalerQueries` get their query from there and no other is changed; without it,
 * the target's name in each query is replaced by the primary's. Metadata in `primaryScalerTriggers` replace those of a trigger of any type.
 */
export function primaryTriggers(canary: Canary, triggers: unknown): Rewritten {
  if (!Array.isArray(triggers)) return { warnings: [] };
  const { primaryScalerQueries: queries, primaryScalerTriggers: metadata } = canary.spec.autoscalerRef ?? {};
  const given = withGiven(triggers, metadata ?? {}, 'primaryScalerTriggers');
  const asked = Object.fromEntries(Object.entries(queries ?? {}).map(([key, query]) => [key, { query }]));
  const rest = queries
    ? withGiven(given.triggers, asked, 'primaryScalerQueries')
    : withOwnQueries(given.triggers, names(canary).target, given.queried);
  return { triggers: rest.triggers, warnings: [...given.warnings, ...rest.warnings] };
}

function withGiven(triggers: readonly unknown[], given: Given, which: string) {
  const warnings: string[] = [];
  const changes = new Map<unknown, Readonly<Record<string, string>>>();
  const named = grouped(triggers, ({ name }) => name);
  const namedWithin = grouped(triggers, ({ metadata }) => metadata?.name);
  for (const [key, metadata] of Object.entries(given)) {
    const field = `spec.autoscalerRef.${which}.${key}`;
    const byName = named.get(key) ?? [];
    const byMetadata = byName.length > 0 ? [] : (namedWithin.get(key) ?? []);
    const found = [...byName, ...byMetadata];
    if (found.length === 0) warnings.push(`${field} names no trigger: give one of them this name`);
    if (byMetadata.length > 0) warnings.push(`${field} is found by metadata.name only: set the name of the trigger itself`);
    for (const trigger of found) changes.set(trigger, metadata);
  }
  const queried = new Set<unknown>();
  const rewritten = triggers.map((one) => {
    const metadata = changes.get(one);
    if (metadata === undefined || !isTrigger(one)) return one;
    const changed = { ...one, metadata: { ...one.metadata, ...metadata } };
    if (metadata.query !== undefined) queried.add(changed);
    return changed;
  });
  return { triggers: rewritten, warnings, queried };
}

function grouped(triggers: readonly unknown[], nameOf: (trigger: Trigger) => string | undefined): Map<string | undefined, Trigger[]> {
  return Map.groupBy(triggers.filter(isTrigger), nameOf);
}

function withOwnQueries(triggers: readonly unknown[], target: string, queried: ReadonlySet<unknown>) {
  const warnings: string[] = [];
  const rewritten = triggers.map((one, index) => {
    if (!isTrigger(one) || typeof one.metadata?.query !== 'string' || queried.has(one)) return one;
    const query = primaryQuery(one.metadata.query, target, one.type);
    const which = `the query of trigger ${one.name ?? index}`;
    const how = 'set spec.autoscalerRef.primaryScalerQueries';
    if (speaksOf(one.metadata.query, `${target}-primary`)) warnings.push(`${which} names ${target}-primary already: ${how}`);
    else if (query === one.metadata.query)
      warnings.push(`${which} does not name ${target}, so the primary scales by the same numbers: ${how}`);
    return { ...one, metadata: { ...one.metadata, query } };
  });
  return { triggers: rewritten, warnings };
}

/**
 * The query with `<t>` and `<t>-canary` replaced by `<t>-primary` if they are a whole name, also if the pattern of its pods' names follows; `checkout2`,
 * `checkout-api` and `checkout-primary` are other names. If names are quoted, only quoted text is replaced.
 */
export function primaryQuery(query: string, target: string, type?: string): string {
  const primary = `${target}-primary`;
  const pieces = quotedPieces(query);
  const own = nameOf(target, '(?:-canary|-primary)?');
  if (QUOTED_ONLY.has(type ?? '') || pieces.some(({ text, isQuoted }) => isQuoted && text.search(own) !== -1)) {
    const name = nameOf(target, '(?:-canary)?');
    return pieces.map(({ text, isQuoted }) => (isQuoted ? text.replace(name, primary) : text)).join('');
  }
  // Without quotes a word before a bracket is a function.
  return query.replace(nameOf(target, '(?:-canary)?(?!\\()'), primary);
}

function speaksOf(query: string, name: string): boolean {
  return nameOf(name, '').test(query);
}

/** Letters, digits and `_` continue a name, and so does `-` before one of them; `checkout-.*` and `checkout-%` are patterns of pods. */
function nameOf(name: string, suffix: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_-])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${suffix}(?![A-Za-z0-9_]|-[A-Za-z0-9_])`, 'g');
}

function isTrigger(value: unknown): value is Trigger {
  return isRecord(value) && (value.metadata === undefined || isRecord(value.metadata));
}
