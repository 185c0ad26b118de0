import * as z from 'zod';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseCanaryOnce } from '../../api/parse-canary.ts';
import { parseStatus } from '../../api/parse-status.ts';
import { defined } from '../../base/defined.ts';
import type { JsonRecord } from '../../base/json.ts';
import type { ShownCanary } from '../telemetry/canary-metrics.ts';

/** This Canary with another spec, which is still to be read. */
export function withSpec({ apiVersion, kind, metadata, status }: Canary, spec: JsonRecord): KubeObject {
  const { name, namespace, uid, generation, resourceVersion, labels, annotations } = metadata;
  const known = { name, namespace, uid, generation, resourceVersion, ...defined({ labels, annotations }) };
  return { apiVersion, kind, metadata: known, spec, ...defined({ status }) };
}

const Targeted = z.object({ targetRef: z.object({ name: z.string() }) });

/** The Canary, where it can be read at all. */
export function readCanary(raw: KubeObject): Canary | undefined {
  const parsed = parseCanaryOnce(raw);
  return 'canary' in parsed ? parsed.canary : undefined;
}

/** The part that metrics are labelled with, of a Canary that cannot be run. */
export function metricsView({ metadata, spec, status }: KubeObject): ShownCanary | undefined {
  const { data } = Targeted.safeParse(spec);
  const { namespace = '', name, uid = '' } = metadata;
  return data && { metadata: { namespace, name, uid }, spec: data, status: parseStatus(status) };
}
