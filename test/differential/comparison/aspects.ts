import { type Entry, NAMESPACES, ofKind, type Side } from '../recording/recording.ts';
import type { NamedScenario } from '../scenarios/scenario.ts';
import { checksums, hookCalls, hookOrder } from './hooks.ts';
import { alertKinds, eventKinds } from './kinds-of-message.ts';
import { emptiedServices, leastPrimary, podsAtTheEnd, readinessAtSteps } from './pods.ts';

/** Compared values of one side, by the name of the aspect. Values that depend only on time are left out. */
export type Aspects = Readonly<Record<string, unknown>>;

export function aspectsOf(side: Side, scenario: NamedScenario, entries: readonly Entry[]): Aspects {
  const statuses = ofKind(entries, 'status');
  const inPhase = (phase: string) => statuses.filter((status) => status.phase === phase);
  const phases = distinct(statuses.map(({ phase }) => phase));
  // An event hook receives every event: those are compared as events.
  const asked = scenario.hook === 'event' ? entries.filter((entry) => entry.kind !== 'hook' || entry.hook !== 'hook') : entries;
  const aspects: Record<string, unknown> = {
    phases,
    readiness: readinessAtSteps(entries),
    'least primary': leastPrimary(entries),
    'emptied services': emptiedServices(entries, [scenario.name, `${scenario.name}-primary`]),
    'pods in the end': podsAtTheEnd(entries),
    // Chance decides whether a request is under way to a pod that is lost.
    'lost requests': scenario.pods !== 'lost' && ofKind(entries, 'traffic').some(({ lost }) => lost.length > 0),
    // A release that is held has both versions, of which a few requests meet any.
    'answers in the end': hasEnded(phases) ? ofKind(entries, 'traffic').flatMap(({ versions }) => versions) : 'any',
    'hook order': hookOrder(asked),
    alerts: alertKinds(side, entries),
  };
  for (const phase of new Set(phases)) {
    aspects[`weights in ${phase}`] = distinct(inPhase(phase).map(({ weight }) => weight));
    aspects[`iterations in ${phase}`] = distinct(inPhase(phase).map(({ iterations }) => iterations));
    aspects[`failed checks in ${phase}`] = distinct(inPhase(phase).map(({ failedChecks }) => failedChecks));
  }
  for (const [hook, letters] of checksums(asked)) aspects[`checksums of ${hook}`] = letters;
  for (const hook of hookOrder(asked)) {
    const { calls, passes, rapid, payload, metadata } = hookCalls(entries, hook);
    Object.assign(aspects, { [`calls of ${hook}`]: calls, [`rapid calls of ${hook}`]: rapid });
    if (isCounted(scenario, hook)) aspects[`passes of ${hook}`] = passes;
    Object.assign(aspects, setAspects(`payload of ${hook}`, payload), setAspects(`metadata of ${hook}`, metadata));
  }
  for (const object of new Set(ofKind(entries, 'object').map((entry) => entry.object)))
    aspects[`object ${object.replaceAll(scenario.name, 'APP')}`] = distinct(
      ofKind(entries, 'object')
        .filter((entry) => entry.object === object)
        .map(({ object: of, content }) => comparable(of, content, scenario)),
    );
  Object.assign(aspects, setAspects('event', eventKinds(side, entries)));
  const queries = new Set(ofKind(entries, 'query').map(({ query }) => queryShape(query).replaceAll(scenario.name, 'APP')));
  return { ...aspects, ...setAspects('query', [...queries]) };
}

const hasEnded = (phases: readonly string[]): boolean => ['Succeeded', 'Failed'].includes(phases.at(-1) ?? '');

/** The state of an object under a name that both sides share; a weight of 0 is left out by some programs where that means the same. */
function comparable(object: string, content: unknown, { name }: NamedScenario): unknown {
  if (content === undefined) return 'deleted';
  const isZeroDefault = object.startsWith('HTTPProxy/') || object.startsWith('RouteTable/');
  return JSON.parse(JSON.stringify(content).replaceAll(name, 'APP'), (key, value: unknown) =>
    isZeroDefault && key === 'weight' && value === 0 ? undefined : value,
  );
}

/** Each member of a set is an aspect of its own, so that one difference does not hide another. */
const setAspects = (name: string, members: readonly string[]): Aspects =>
  Object.fromEntries(members.map((member) => [`${name}: ${member}`, true]));

/** The number of intervals of a release is equal on both sides, unless it waits for a gate or for pods. */
const isCounted = ({ gate, pods }: NamedScenario, called: string): boolean =>
  called === 'hook' && pods === 'healthy' && !/-(opens|closed)$/.test(gate);

function distinct<T>(values: readonly T[]): T[] {
  return values.filter((value, index) => index === 0 || JSON.stringify(value) !== JSON.stringify(values[index - 1]));
}

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
