import * as z from 'zod';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseCanary } from '../../api/parse-canary.ts';
import { parseStatus } from '../../api/parse-status.ts';
import type { ShownCanary } from '../telemetry/canary-metrics.ts';

type Parsed = ReturnType<typeof parseCanary>;

const Targeted = z.object({ targetRef: z.object({ name: z.string() }) });
/** Held weakly: an idle Canary keeps no second copy. */
const parsedObjects = new WeakMap<KubeObject, WeakRef<Parsed>>();

/** Parses each version of a Canary once, as long as the view holds that very object. */
export function parsedCanary(raw: KubeObject): Parsed {
  const known = parsedObjects.get(raw)?.deref();
  if (known !== undefined) return known;
  const parsed = parseCanary(raw);
  parsedObjects.set(raw, new WeakRef(parsed));
  return parsed;
}

/** The Canary, where it can be read at all. */
export function readCanary(raw: KubeObject): Canary | undefined {
  const parsed = parsedCanary(raw);
  return 'canary' in parsed ? parsed.canary : undefined;
}

/** The part that metrics are labelled with, of a Canary that cannot be run. */
export function metricsView({ metadata, spec, status }: KubeObject): ShownCanary | undefined {
  const { data } = Targeted.safeParse(spec);
  const { namespace = '', name, uid = '' } = metadata;
  return data && { metadata: { namespace, name, uid }, spec: data, status: parseStatus(status) };
}

/** `namespace/name`. */
export const labelOf = ({ metadata }: { metadata: { namespace: string; name: string } }): string =>
  `${metadata.namespace}/${metadata.name}`;
