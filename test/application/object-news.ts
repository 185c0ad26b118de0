import type { KubeObject } from '../../src/api/kube-object.ts';
import type { ObjectChange } from '../../src/embedded/controllers/object-store.ts';
import { raw } from '../fakes/raw.ts';

/** One change of an object that leads requests, in a few words. `undefined` if requests go the same way. */
export function newsOf({ previous, next }: ObjectChange): string | undefined {
  const object = next ?? previous;
  if (object === undefined) return undefined;
  const name = `${object.kind} ${object.metadata.name}`;
  if (next === undefined) return `${name} is gone`;
  const now = wordsFor(next);
  return now === undefined || (previous && now === wordsFor(previous)) ? undefined : `${name}: ${now}`;
}

function wordsFor(object: KubeObject): string | undefined {
  const { metadata, spec = {}, status = {} } = raw(object);
  const isGoing = metadata.deletionTimestamp === undefined ? '' : ', is being deleted';
  switch (object.kind) {
    case 'Deployment': {
      const [container] = spec.template.spec.containers;
      return `${container.image}, ${status.readyReplicas ?? 0} of ${spec.replicas ?? 1} ready${isGoing}`;
    }
    case 'Pod': {
      const isReady = (status.conditions ?? []).some(
        (one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True',
      );
      return `${spec.containers[0].image}, ${isReady ? 'ready' : 'not ready'}${isGoing}`;
    }
    case 'Service':
      return `selects ${JSON.stringify(spec.selector ?? {})}${isGoing}`;
    case 'VirtualService':
    case 'TrafficSplit':
      return `leads to ${JSON.stringify(backendsOf(spec))}${isGoing}`;
    default:
      return undefined;
  }
}

interface Destination {
  destination: { host: string };
  weight?: number;
}

const backendsOf = ({
  http = [],
  backends = [],
}: {
  http?: { route?: Destination[] }[];
  backends?: { service: string; weight: number }[];
}) => [
  ...http.map(({ route = [] }) => route.map(({ destination, weight = 100 }) => `${destination.host} ${weight}`)),
  ...backends.map(({ service, weight }) => `${service} ${weight}`),
];
