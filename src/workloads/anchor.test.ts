import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsedCanary } from '../../test/fakes/parsed-canary.ts';
import { recordedIdle } from '../../test/fakes/recorded-idle.ts';
import { asControllerRevision } from '../api/kinds/controller-revision.ts';
import {
  historyToPrune,
  newestFirst,
  readAnchor,
  readTemplateRevision,
  recordsOf,
  renderAnchor,
  renderTemplateRevision,
} from './anchor.ts';

const canary = parsedCanary();
const spec = { template: { spec: { containers: [] } } };

describe('anchor', () => {
  it('contains the original values, without owner or finalizer, and is found by label', () => {
    const anchor = renderAnchor(canary, { target: { replicas: 3 }, apexService: { selector: { app: 'podinfo' } } });
    expect(anchor).toEqual({
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: 'podinfo-serin-anchor',
        namespace: 'test',
        labels: { 'serin.dev/canary': 'podinfo', 'serin.dev/record': 'anchor' },
        annotations: { 'serin.dev/canary-uid': 'c-1' },
      },
      revision: 0,
      data: { canaryUid: 'c-1', target: { replicas: 3 }, apexService: { selector: { app: 'podinfo' } } },
    });
    expect(readAnchor(anchor)).toMatchObject({ data: { target: { replicas: 3 } } });
    expect(recordsOf(canary)).toBe('serin.dev/canary=podinfo');
  });

  it('a long Canary name becomes a label value that Kubernetes accepts', () => {
    const long = { ...canary, metadata: { ...canary.metadata, name: 'a'.repeat(200) } };
    expect(recordsOf(long).split('=')[1]).toMatch(/^[a-z0-9-]{63}$/);
  });
});

describe('template revisions', () => {
  it('a revision without an owner belongs to an earlier anchor, and is older than every other one', () => {
    const anchor = renderAnchor(canary, { target: { replicas: 1 } });
    const stored = { ...anchor, metadata: { ...anchor.metadata, uid: 'a-2' } };
    const [left, first, second] = [
      renderTemplateRevision(canary, spec, 's1:left', 9),
      renderTemplateRevision(canary, spec, 's1:aa', 1, stored),
      renderTemplateRevision(canary, spec, 's1:bb', 2, stored),
    ];
    const records = [first, left, second];
    expect(records.toSorted(newestFirst)).toEqual([second, first, left]);
    expect(historyToPrune(records, 2)).toEqual([left]);
  });

  it('are named by content, owned by the anchor, and read back', () => {
    const anchor = renderAnchor(canary, { target: { replicas: 1 } });
    const stored = { ...anchor, metadata: { ...anchor.metadata, uid: 'a-1' } };
    const first = renderTemplateRevision(canary, spec, 's1:aa', 1, stored);
    expect(first.metadata.name).toMatch(/^podinfo-serin-[0-9a-f]{12}$/);
    expect(first.metadata.ownerReferences).toMatchObject([{ kind: 'ControllerRevision', name: 'podinfo-serin-anchor', uid: 'a-1' }]);
    expect(renderTemplateRevision(canary, spec, 's1:aa', 9).metadata.name).toBe(first.metadata.name);
    expect(renderTemplateRevision(canary, spec, 's1:bb', 2).metadata.name).not.toBe(first.metadata.name);
    expect(readTemplateRevision(first)).toEqual({ revision: 's1:aa', spec });
    expect(readTemplateRevision(anchor)).toBeUndefined();
  });

  it.each([
    { limit: 2, pruned: [1] },
    { limit: 0, pruned: [2, 1] },
    { limit: 9, pruned: [] },
  ])('a history limit of $limit prunes $pruned, never the newest and never the anchor', ({ limit, pruned }) => {
    const revisions = [2, 3, 1].map((number) => renderTemplateRevision(canary, spec, `s1:${number}`, number));
    const all = [...revisions, renderAnchor(canary, { target: { replicas: 1 } })];
    expect(historyToPrune(all, limit).map((object) => object.revision)).toEqual(pruned);
  });
});

describe('forged records', () => {
  const { service, analysis, targetRef } = canary.spec;
  const { name, uid } = canary.metadata;
  const originals = {
    target: { replicas: 3 },
    canary: { metadata: { name, namespace: 'test', uid }, spec: { service, analysis, targetRef } },
  };
  const anchor = asControllerRevision(renderAnchor(canary, originals));
  const held = anchor.data as object;

  it('the namespace of an anchor is that of the object, for any data in it', () => {
    const forged = { ...anchor, metadata: { ...anchor.metadata, namespace: 'hostile' } };
    expect(readAnchor(forged)).toMatchObject({ data: { canary: { metadata: { name, namespace: 'hostile', uid } } } });
  });

  it.each([
    { what: 'a text', data: 'x', problem: 'data' },
    { what: 'a list', data: [null], problem: 'data' },
    { what: 'nothing', data: undefined, problem: 'data' },
    { what: 'a list of originals', data: { ...held, target: [] }, problem: 'data.target' },
    { what: 'pods below zero', data: { ...held, target: { replicas: -1 } }, problem: 'data.target.replicas' },
    { what: 'pods beyond all numbers', data: { ...held, target: { replicas: 1e300 } }, problem: 'data.target.replicas' },
    {
      what: 'a selector of numbers',
      data: { ...held, apexService: { selector: { a: 1 } } },
      problem: 'data.apexService.selector.a',
    },
    {
      what: 'a port without number',
      data: { ...held, apexService: { selector: {}, ports: [{}] } },
      problem: 'apexService.ports[0].port',
    },
    {
      what: 'a key without end',
      data: { ...held, apexService: { selector: { ['x'.repeat(100_000)]: 1 } } },
      problem: 'data.apexService.selector["xxx',
    },
    { what: 'another uid', data: { ...held, canaryUid: 'c-2' }, problem: 'serin.dev/canary-uid' },
  ])('an anchor that contains $what is reported by field', ({ data, problem }) => {
    expect(readAnchor({ ...anchor, data })).toEqual({ problem: expect.stringContaining(problem) });
    expect(JSON.stringify(readAnchor({ ...anchor, data })).length).toBeLessThan(300);
  });

  const record = renderTemplateRevision(canary, spec, 's1:aa', 1);
  it.each([
    { what: 'a text', change: { data: 'x' } },
    { what: 'no spec', change: { data: { revision: 's1:aa' } } },
    { what: 'a template that is a list', change: { data: { revision: 's1:aa', spec: { template: [] } } } },
    { what: 'a template without pods', change: { data: { revision: 's1:aa', spec: { template: {} } } } },
    { what: 'a revision that is a number', change: { data: { revision: 7, spec } } },
    // The next promotion would get a number that no API server accepts.
    { what: 'the last number of all', change: { revision: 2 ** 63 } },
  ])('a record of $what is not a promotion', ({ change }) => {
    expect(readTemplateRevision({ ...record, ...change })).toBeUndefined();
    expect(historyToPrune([{ ...record, ...change }, record], 1)).toEqual([]);
  });
});

it.each(Object.entries(recordedIdle('0.1.0')))('a record of an earlier version in %s is trusted and read whole', (_, objects) => {
  const records = objects.filter(({ metadata }) => metadata.labels?.['serin.dev/record'] !== undefined);
  expect(records).not.toEqual([]);
  for (const object of records) expect(readAnchor(object) ?? { data: readTemplateRevision(object) }).toEqual({ data: object.data });
});

it('reading a record with any content throws nothing and changes no prototype', () => {
  const role = fc.constantFrom('anchor', 'template', 'other');
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value).replaceAll('"a":', '"__proto__":')));
  const data = fc.oneof(json, fc.record({ canaryUid: json, target: json, canary: json, apexService: json, revision: json, spec: json }));
  fc.assert(
    fc.property(role, data, json, (label, held, revision) => {
      const metadata = { name: 'x', namespace: 'hostile', labels: { 'serin.dev/record': label } };
      const object = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision, data: held };
      readAnchor(object);
      readTemplateRevision(object);
      historyToPrune([object, object], 1);
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
  );
});
