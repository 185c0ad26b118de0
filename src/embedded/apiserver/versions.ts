import type { KubeObject } from '../../api/kube-object.ts';
import { clone, isRecord, type Json, type RawObject } from './json.ts';
import { prune } from './prune.ts';
import { apiVersionOf, type Resource } from './resources.ts';

/** The object as the resource's version shows it. Fields that the current schema does not know stay stored, and come back with their schema. */
export function fromStored(object: KubeObject, resource: Resource): KubeObject {
  const shown = inVersion(object, resource);
  if (!resource.isRedefined) return shown;
  const known = clone(shown);
  prune(known, resource.schema);
  return known;
}

function inVersion(object: KubeObject, resource: Resource): KubeObject {
  const apiVersion = apiVersionOf(resource);
  if (object.apiVersion === apiVersion) return object;
  const shown: KubeObject = { ...object, apiVersion, kind: resource.kind };
  if (apiVersion === 'autoscaling/v1') return hpaToV1(shown);
  if (apiVersion === 'events.k8s.io/v1') return eventToNew(shown);
  return shown;
}

/** The object in the version that the store keeps. */
export function toStored(object: KubeObject, resource: Resource): KubeObject {
  if (object.apiVersion === resource.storedVersion) return object;
  const stored: KubeObject = { ...object, apiVersion: resource.storedVersion };
  if (object.apiVersion === 'autoscaling/v1') return hpaToV2(stored);
  if (object.apiVersion === 'events.k8s.io/v1') return eventToCore(stored);
  return stored;
}

const isCpu = (metric: Json): boolean =>
  metric?.type === 'Resource' && metric.resource?.name === 'cpu' && metric.resource.target?.type === 'Utilization';

function hpaToV1(object: RawObject): KubeObject {
  const { metrics = [], behavior: _behavior, ...spec } = object.spec ?? {};
  const cpu = metrics.find(isCpu)?.resource.target.averageUtilization;
  const { currentMetrics: _currentMetrics, conditions: _conditions, ...status } = object.status ?? {};
  return {
    ...object,
    spec: { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
    status: { currentReplicas: 0, ...status },
  };
}

function hpaToV2(object: RawObject): KubeObject {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = object.spec ?? {};
  const target = { type: 'Utilization', averageUtilization: cpu ?? 80 };
  return { ...object, spec: { minReplicas: 1, ...spec, metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] } };
}

const renamed = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reportingController', 'reportingComponent'],
] as const;

function eventToNew(object: KubeObject): KubeObject {
  const event = { ...object };
  for (const [now, then] of renamed) rename(event, then, now);
  return event;
}

function eventToCore(object: KubeObject): KubeObject {
  const event = { ...object };
  for (const [now, then] of renamed) rename(event, now, then);
  if (!isRecord(event.involvedObject)) event.involvedObject = {};
  return event;
}

function rename(object: KubeObject, from: string, to: string): void {
  if (object[from] !== undefined) object[to] = object[from];
  delete object[from];
}
