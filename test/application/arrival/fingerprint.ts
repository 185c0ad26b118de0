import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { admissions } from './admissions.ts';
import type { KindOfLoss } from './kinds-of-loss.ts';
import { monitors, policies } from './policies.ts';
import { endpointsOf, ledTo, requests } from './requests.ts';
import { type Application, look, type Seen } from './seen.ts';

export interface Fact {
  /** Kind of the loss if the fact changes. */
  kind: KindOfLoss;
  value: string;
  /** Objects that it comes from, as `Kind/name`. */
  objects: readonly string[];
}

export type Say = (key: string, kind: KindOfLoss, values: readonly string[], from: readonly KubeObject[]) => void;

/** Facts for users and pods at one moment, by the request or check behind each. Target, primary and canary of the application have one name. */
export interface Fingerprint {
  facts: ReadonlyMap<string, Fact>;
  /** Services that lead to the target's pods, though the apex does not at this moment. */
  besideRoutes: readonly string[];
}

/** All facts of I17, from all objects of the cluster at one moment. It shares no code with Serin's own analysis. */
export function fingerprint(objects: readonly KubeObject[], app: Application): Fingerprint {
  const seen = look(objects, app);
  const facts = new Map<string, Fact>();
  const say: Say = (key, kind, values, from) => {
    const value = [...new Set(values)].toSorted().join(', ') || 'nothing';
    facts.set(key, { kind, value, objects: [...new Set(from.map((one) => `${one.kind}/${one.metadata.name}`))] });
  };
  requests(seen, say);
  admissions(seen, say);
  policies(seen, say);
  monitors(seen, say);
  return { facts, besideRoutes: besideRoutes(seen) };
}

function besideRoutes(seen: Seen): string[] {
  const services = seen.own('Service');
  const apex = services.find(({ metadata }) => metadata.name === seen.app.apex);
  if (apex === undefined) return [];
  const isLed = (service: KubeObject, isRouted: boolean) =>
    (raw(service).spec.ports ?? []).some((port: Raw) =>
      (isRouted ? ledTo(seen, service, port) : [{ service, host: '', port }]).some((led) =>
        endpointsOf(seen, led).some(({ workload }) => workload.side === 'target'),
      ),
    );
  if (isLed(apex, true)) return [];
  return services.filter((service) => isLed(service, false)).map(({ metadata }) => `Service/${metadata.name}`);
}

export interface Loss {
  kind: KindOfLoss;
  /** The request or check behind the fact. */
  what: string;
  before: string;
  now: string;
  objects: readonly string[];
}

/** Facts that held before and do not hold now. New facts are not losses. */
export function lossesIn(before: Fingerprint, now: Fingerprint): Loss[] {
  const pairs = new Set([...now.facts.keys()].flatMap((what) => pairOf(what) ?? []));
  return [...before.facts].flatMap(([what, fact]): Loss[] => {
    const found = now.facts.get(what);
    // Ports of Services are tried at every pod: a port that no Service has any more is not tried, and says nothing about policies.
    const pair = pairOf(what);
    if (found === undefined && pair !== undefined && pairs.has(pair)) return [];
    const value = found?.value ?? 'nothing';
    if (value === fact.value || isAllowed(fact, value, what)) return [];
    // A newly refused connection counts as a loss of the policy that refuses it now.
    const isNewlyRefused = what.includes('→') && fact.value === 'admitted' && found !== undefined;
    const { kind, objects } = isNewlyRefused ? found : fact;
    return [{ kind, what, before: fact.value, now: value, objects }];
  });
}

/** The two ends of a connection. */
const pairOf = (what: string): string | undefined => /^(.* → .*):\d+\/\w+$/.exec(what)?.[1];

/** A port that declared nothing may declare what it was detected to be. */
const isAllowed = ({ value }: Fact, now: string, what: string): boolean =>
  what.startsWith('the protocol') && value === 'detected' && (now === 'http' || (now === 'udp' && what.endsWith('/UDP')));
