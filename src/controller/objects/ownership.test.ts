import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { names } from '../../api/names.ts';
import { isOurs } from './ownership.ts';

const canary = aCanary();
const { uid = '' } = canary.metadata;
const object = (metadata: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'podinfo', namespace: 'test', ...metadata } });
const ownedBy = (...owners: { kind: string; name: string }[]) => ({
  ownerReferences: owners.map((owner) => ({ apiVersion: 'x/v1', uid: 'u', ...owner })),
});

it.each([
  { what: 'has no mark', metadata: {}, is: false },
  { what: 'is marked as of this Canary', metadata: { annotations: { 'serin.dev/canary-uid': uid } }, is: true },
  { what: 'is marked as of another Canary', metadata: { annotations: { 'serin.dev/canary-uid': 'other' } }, is: false },
  { what: 'was handed over', metadata: { annotations: { 'serin.dev/adopt': 'true' } }, is: true },
  { what: 'was not handed over', metadata: { annotations: { 'serin.dev/adopt': 'false' } }, is: false },
  { what: 'was made by Flagger for a Canary of this name', metadata: ownedBy({ kind: 'Canary', name: canary.metadata.name }), is: true },
  { what: 'was made by Flagger for another Canary', metadata: ownedBy({ kind: 'Canary', name: 'other' }), is: false },
  { what: 'belongs to our anchor', metadata: ownedBy({ kind: 'ControllerRevision', name: names(canary).anchor }), is: true },
  {
    what: 'belongs to another revision',
    metadata: ownedBy({ kind: 'ControllerRevision', name: 'podinfo-7c9f' }, { kind: 'ReplicaSet', name: names(canary).anchor }),
    is: false,
  },
])('an object that $what is ours: $is', ({ metadata, is }) => expect(isOurs(canary, object(metadata))).toBe(is));
