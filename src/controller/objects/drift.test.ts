import { describe, expect, it } from 'vitest';
import { lastForeignManagers, missingField, writerOf } from './drift.ts';

describe('missingField', () => {
  it.each([
    {
      name: 'server defaults beside ours are no drift',
      wanted: { spec: { ports: [{ port: 80 }] } },
      live: { spec: { ports: [{ port: 80, nodePort: 3 }], type: 'ClusterIP' } },
      missing: undefined,
    },
    { name: 'a changed leaf', wanted: { spec: { port: 80 } }, live: { spec: { port: 81 } }, missing: 'spec.port' },
    { name: 'an extra list item', wanted: { hosts: ['a'] }, live: { hosts: ['a', 'b'] }, missing: 'hosts' },
    {
      name: 'a filter in a rule of ours',
      wanted: { spec: { rules: [{ backendRefs: ['a'] }] } },
      live: { spec: { rules: [{ backendRefs: ['a'], filters: ['b'] }] } },
      missing: 'spec.rules',
    },
    {
      name: 'a foreign selector key',
      wanted: { spec: { selector: { app: 'x' } } },
      live: { spec: { selector: { app: 'x', tier: 'y' } } },
      missing: 'spec.selector.tier',
    },
    {
      name: 'a foreign annotation',
      wanted: { metadata: { annotations: { a: '1' } } },
      live: { metadata: { annotations: { a: '1', b: '2' } } },
      missing: undefined,
    },
    {
      name: 'a foreign field within a list of routes',
      wanted: { spec: { weighted: { services: [{ name: 'a', weight: 100 }] } } },
      live: { spec: { weighted: { services: [{ name: 'a', weight: 100, kind: 'TraefikService' }] } } },
      missing: 'spec.weighted.services',
    },
    { name: 'an empty map that the server left out', wanted: { spec: { labels: {} } }, live: { spec: {} }, missing: undefined },
  ])('$name → $missing', ({ wanted, live, missing }) => expect(missingField(wanted, live)).toBe(missing));
});

describe('a list of ours to which the server has added by itself', () => {
  const wanted = { spec: { rules: [{ backendRefs: [{ name: 'a', weight: 90 }] }] } };
  const answered = { spec: { rules: [{ backendRefs: [{ name: 'a', weight: 90, fresh: true }], fresh: 1 }] } };
  const edited = (weight: number) => ({ spec: { rules: [{ backendRefs: [{ name: 'a', weight, fresh: true }], fresh: 1 }] } });
  it.each([
    { what: 'as it was answered', live: answered, missing: undefined },
    { what: 'with another weight', live: edited(80), missing: 'spec.rules' },
    { what: 'with something more', live: { spec: { rules: [{ ...answered.spec.rules[0], filters: [] }] } }, missing: 'spec.rules' },
    { what: 'without what was added', live: wanted, missing: undefined },
  ])('$what → $missing', ({ live, missing }) => expect(missingField(wanted, live, '', answered)).toBe(missing));
  it('an answer that does not hold what was written is drift itself', () => {
    expect(missingField(wanted, edited(80), '', edited(80))).toBe('spec.rules');
  });
});

describe('lastForeignManagers', () => {
  const entry = (manager: string, second: number, rest: object = { fieldsV1: { 'f:spec': {} } }) => ({
    manager,
    time: `2026-01-01T00:00:0${second}Z`,
    ...rest,
  });
  const ownedBy = (...managedFields: object[]) =>
    lastForeignManagers({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', managedFields } as never }, 'serin').manager;

  it('is the newest of the managers that want something', () => {
    expect(ownedBy(entry('kubectl', 1), entry('gitops', 3), entry('serin', 2))).toBe('gitops');
    expect(ownedBy(entry('kubectl', 1), entry('gitops', 3), entry('serin', 3))).toBe('gitops');
  });
  it('I18: names no manager that wrote before our own last write', () => {
    expect(ownedBy(entry('kubectl', 1), entry('gitops', 2), entry('serin', 3))).toBeUndefined();
  });
  it('is not who reports: neither in the status nor in an annotation', () => {
    const status = entry('kube-controller-manager', 5, { subresource: 'status', fieldsV1: { 'f:status': {} } });
    const annotation = entry('kube-controller-manager', 4, { fieldsV1: { 'f:metadata': { 'f:annotations': {} } } });
    expect(ownedBy(entry('gitops', 2), annotation, status)).toBe('gitops');
    expect(ownedBy(status)).toBeUndefined();
  });
  it('I18: a manager that wrote only annotations has changed no field of the spec', () => {
    const annotation = entry('kube-controller-manager', 4, { fieldsV1: { 'f:metadata': { 'f:annotations': {} } } });
    const managedFields = [entry('serin', 2), annotation] as never;
    const seen = lastForeignManagers({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', managedFields } }, 'serin');
    expect(writerOf(seen, 'spec.replicas')).toEqual({});
    expect(writerOf(seen, 'metadata.annotations.a')).toEqual({ who: 'kube-controller-manager' });
  });
});
