import type { KubeObject } from '../../api/kube-object.ts';
import { clone, isEqual, isRecord, type JsonObject, type RawObject } from './json.ts';
import type { Resource } from './resources.ts';
import { keepClusterIp } from './service-addresses.ts';

/** Keeps the fields that the client cannot change: identity, and the other side of a status subresource. */
export function keepServerOwned(resource: Resource, live: KubeObject, object: KubeObject, subresource: string): KubeObject {
  const next = subresource === 'status' ? ({ ...clone(live), status: object.status } as KubeObject) : { ...object };
  if (subresource === 'status') {
    if (object.status === undefined) delete next.status;
    if (object.metadata.managedFields !== undefined) next.metadata.managedFields = object.metadata.managedFields;
    if (!resource.custom) {
      if (object.metadata.labels !== undefined) next.metadata.labels = object.metadata.labels;
      if (object.metadata.annotations !== undefined) next.metadata.annotations = object.metadata.annotations;
    }
  } else if (resource.status) {
    if (live.status === undefined) delete next.status;
    else next.status = live.status;
  }
  const { metadata } = next;
  for (const field of [
    'uid',
    'creationTimestamp',
    'generation',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'generateName',
    'resourceVersion',
  ]) {
    if (live.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = live.metadata[field];
  }
  if (resource.storeKey === '/services' && subresource !== 'status') keepClusterIp(next, live);
  return next;
}

/** Tests if the write counts as a new generation: a change of anything but metadata and status does. */
export const changesContent = (next: KubeObject, live: KubeObject): boolean => !isEqual(contentOf(next), contentOf(live));

function contentOf({ metadata: _metadata, status: _status, ...content }: KubeObject): JsonObject {
  return content;
}

/** Fields that the creator of an object owns: not its status, nor the addresses that the server gave it. */
export function withoutAllocated(resource: Resource, object: KubeObject, sent: RawObject): KubeObject {
  const owned = clone(object);
  if (resource.status) delete owned.status;
  if (resource.storeKey === '/services' && isRecord(owned.spec))
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
      if (sent.spec?.[field] === undefined) delete owned.spec[field];
  return owned;
}
