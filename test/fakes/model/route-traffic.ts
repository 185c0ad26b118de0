import type { KubeObject } from '../../../src/api/kube-object.ts';
import { keptIn } from '../../../src/base/once.ts';
import { type KnownServices, knownServices } from '../../../src/embedded/mesh/known-services.ts';
import { isIntroduction } from '../../../src/routers/introduction.ts';
import { type Raw, raw } from '../raw.ts';
import type { ModelLab } from './lab.ts';

/** Where a kind of routes lists its rules, and a rule its destinations. */
interface ListedIn {
  kind: string;
  list: string;
  backends: string;
  /** Until a proxy knows of a Service that a route names, in milliseconds. */
  learnsAfterMs?: number;
}
interface Destination {
  name: string;
  port: number;
  weight?: number;
}

/** Routes of one kind, each at the proxy of its own Gateway, which learns of a Service half a second after the route names it. */
export function routeTraffic(lab: ModelLab, { kind, list, backends, learnsAfterMs = 500 }: ListedIn) {
  const proxies = new Map<string, KnownServices>();
  /** Services that get requests by each route. */
  const used = new Map<string, ReadonlySet<string>>();
  const lost: string[] = [];
  /** Destinations of all rules, by each change. */
  const states: string[] = [];
  let isUser = false;
  const nameOf = ({ name, port }: Destination): string => `${name}:${port}`;
  const backendsOf = (rule: Raw): Destination[] => rule[backends] ?? [];
  const weightsOf = (rule: Raw) => Object.fromEntries(backendsOf(rule).map((one) => [nameOf(one), one.weight]));
  lab.server.api.store.subscribe(({ object }: { object: KubeObject }) => {
    if (object.kind !== kind) return;
    const rules: Raw[] = raw(object).spec[list] ?? [];
    const { name } = object.metadata;
    const known = keptIn(proxies, name, () => knownServices(lab.clock, () => learnsAfterMs));
    known.name(name, rules.flatMap(backendsOf).map(nameOf));
    const matched = rules.filter((rule) => !isIntroduction(rule)).flatMap(backendsOf);
    const next = new Set(matched.filter(({ weight }) => weight !== 0).map(nameOf));
    // Of a route that is new no request was answered before.
    const unknown = [...next.difference(used.get(name) ?? next)].filter((one) => !known.knows(one));
    used.set(name, next);
    states.push(JSON.stringify(rules.map(weightsOf)));
    if (!isUser && unknown.length > 0) lost.push(`${name} at ${lab.clock.monotonicMs()} ms: ${unknown}`);
  });
  return {
    lost,
    states,
    /** Requests that are lost by what the user does are the user's. */
    asUser(act: () => void): void {
      isUser = true;
      act();
      isUser = false;
    },
  };
}
