import { describe, expect, it } from 'vitest';
import { Canary } from '../api/canary.ts';
import { historyToPrune, readAnchor, readTemplateRevision, recordsOf, renderAnchor, renderTemplateRevision } from './anchor.ts';

const canary = Canary.parse({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'podinfo', namespace: 'test', uid: 'c-1', generation: 1, resourceVersion: '1' },
  spec: {
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
    service: { port: 80 },
    analysis: { interval: '10s', threshold: 1 },
  },
});
const spec = { template: { spec: { containers: [] } } };

describe('anchor', () => {
  it('holds the original values, without owner or finalizer, and is found by label', () => {
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
    expect(readAnchor(anchor)?.target.replicas).toBe(3);
    expect(recordsOf(canary)).toBe('serin.dev/canary=podinfo');
  });

  it('a long Canary name gives a label value that Kubernetes accepts', () => {
    const long = { ...canary, metadata: { ...canary.metadata, name: 'a'.repeat(200) } };
    expect(recordsOf(long).split('=')[1]).toMatch(/^[a-z0-9-]{63}$/);
  });
});

describe('template revisions', () => {
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
