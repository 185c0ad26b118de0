import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { fieldsTakenOver, givingUpFields, isUpdatedBy, type ManagedFieldsEntry } from './taken-over-fields.ts';

const objectOf = (...managedFields: ManagedFieldsEntry[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'shop', managedFields } as KubeObject['metadata'],
});
const theirs: ManagedFieldsEntry = {
  manager: 'flagger',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:name': {} } }, 'f:selector': {} } },
};
const users: ManagedFieldsEntry = { manager: 'kubectl-edit', operation: 'Update', fieldsV1: { 'f:spec': { 'f:type': {} } } };
const status: ManagedFieldsEntry = { ...theirs, subresource: 'status', fieldsV1: { 'f:status': {} } };
const applied: ManagedFieldsEntry = {
  manager: 'serin',
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsV1: { 'f:spec': { 'f:ports': { 'k:{"port":80}': { 'f:protocol': {} } } } },
};

it('fields that the other controller owns by updates become ours by apply; users and status keep theirs', () => {
  expect(fieldsTakenOver(objectOf(theirs, users, status), 'flagger', 'serin')).toEqual([
    users,
    status,
    { ...theirs, manager: 'serin', operation: 'Apply' },
  ]);
});

it('it is joined with our earlier applies', () => {
  const [only, ...more] = fieldsTakenOver(objectOf(theirs, applied), 'flagger', 'serin') ?? [];
  expect(more).toEqual([]);
  expect(only).toMatchObject({
    manager: 'serin',
    operation: 'Apply',
    fieldsV1: { 'f:spec': { 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:name': {}, 'f:protocol': {} } }, 'f:selector': {} } },
  });
});

it('an object that the other controller never updated stays unmodified', () => {
  expect(fieldsTakenOver(objectOf(users, status, applied), 'flagger', 'serin')).toBeUndefined();
  expect([objectOf(users, status), objectOf(theirs)].map((object) => isUpdatedBy(object, 'flagger'))).toEqual([false, true]);
});

describe('fields that a manager gives up', () => {
  const path = '/metadata/managedFields';
  const test = { op: 'test', path: '/metadata/resourceVersion', value: undefined };
  const helm = { manager: 'helm', operation: 'Apply' };
  const serin = { manager: 'serin', operation: 'Update' };

  it.each([
    { what: 'none', entries: [helm], patch: undefined },
    { what: 'none but those of its status', entries: [helm, { ...serin, subresource: 'status' }], patch: undefined },
    { what: 'its only entry', entries: [helm, serin], patch: [test, { op: 'remove', path: `${path}/1` }] },
    {
      what: 'each of its entries, the last one first',
      entries: [{ ...serin, operation: 'Apply' }, helm, { ...serin, subresource: 'scale' }],
      patch: [test, { op: 'remove', path: `${path}/2` }, { op: 'remove', path: `${path}/0` }],
    },
    { what: 'all that there are', entries: [serin], patch: [test, { op: 'replace', path, value: [{}] }] },
  ])('$what', ({ entries, patch }) => {
    expect(givingUpFields(objectOf(...entries), 'serin')).toEqual(patch);
  });
});
