import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { refKey } from '../../../src/api/kube-object.ts';
import { ownerAnnotation } from '../../../src/api/names.ts';
import { jsonPatch, mergePatch } from '../../../src/embedded/apiserver/patch.ts';
import { workloadFor, workloads } from '../../../src/workloads/index.ts';
import { raw } from '../../fakes/raw.ts';
import { deepFreeze } from '../routers-cases.ts';
import { type Kind, kinds, trackingMarks, watching } from './kinds.ts';

const isSame = (a: { name: string; kind: string }, b: { name: string; kind: string }) => a.name === b.name && a.kind === b.kind;

/** Makes a primary as the controller does: creates it, or merges it into the target. */
function primaryOf({ workload, canary, target, options }: Kind, promoted?: Parameters<typeof workload.renderPrimary>[3]): KubeObject {
  const rendered = workload.renderPrimary(canary, deepFreeze(target), options, promoted);
  const isMerged = isSame(workload.primaryRef(canary), workload.targetRef(canary));
  if (isMerged) return mergePatch(structuredClone(target), rendered);
  return { ...rendered, metadata: { ...rendered.metadata, uid: 'p-1', resourceVersion: '41' } };
}

function promote({ workload, canary, options }: Kind, primary: KubeObject, target: KubeObject) {
  const spec = workload.primaryTemplate(canary, deepFreeze(target), { ...options, revision: workload.revision(target) });
  const patch = workload.promotionPatch(deepFreeze(primary), deepFreeze(spec));
  return { spec, patch, answer: jsonPatch(structuredClone(primary), patch) as KubeObject };
}

/** A Knative promotion patches the target itself, which has moved on in the meantime. */
const primaryAtPromotion = (kind: Kind) =>
  kind.lacks.primaryObject === undefined ? primaryOf(kind) : mergePatch(structuredClone(kind.changed), annotationsOf(primaryOf(kind)));
const annotationsOf = ({ metadata: { annotations } }: KubeObject) => ({ metadata: { annotations } });

const withoutVersion = ({ metadata, ...rest }: KubeObject) => ({
  ...rest,
  metadata: { ...metadata, resourceVersion: undefined, generation: undefined },
});

describe('the registry', () => {
  it('has a folder for every kind, and every folder has a kind', () => {
    const shared = ['pods', 'configs', 'scalers', 'companions'];
    const folders = readdirSync(new URL('../../../src/workloads', import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !shared.includes(entry.name))
      .map(({ name }) => name);
    expect(folders.sort()).toEqual(['core-service', 'daemon-set', 'deployment', 'knative']);
    expect(Object.keys(workloads).sort()).toEqual(kinds.map(({ name }) => name).sort());
  });

  it.each(kinds)('$name is found by its target reference', ({ canary, workload }) => {
    expect(workloadFor(canary.spec.targetRef)).toBe(workload);
  });
});

describe.each(kinds)('workload contract of $name', (kind) => {
  const { workload, canary, target, changed, options, lacks } = kind;

  it('a primary is rendered without owner, in the namespace of the Canary, and nothing that it is given changes', () => {
    const primary = workload.renderPrimary(deepFreeze(canary), deepFreeze(target), deepFreeze(options));
    expect(primary.metadata.ownerReferences).toBeUndefined();
    expect(primary.metadata.namespace).toBe('prod');
    expect(primary.status).toBeUndefined();
    expect(primary.metadata.name).toBe(workload.primaryRef(canary).name);
    expect(workload.renderPrimary(canary, target, options)).toEqual(primary);
  });

  it('tracking metadata of Argo CD, Flux, Helm and kubectl is not copied', () => {
    const primary = workload.renderPrimary(canary, target, options);
    const copies = [primary, workload.primaryTemplate(canary, target, options), workload.renderCanary?.(canary, target)];
    expect(JSON.stringify(copies)).not.toMatch(trackingMarks);
    const everything = workload.renderPrimary(canary, target, { ...options, includeLabelPrefix: ['*'] });
    expect(JSON.stringify(everything)).not.toMatch(trackingMarks);
  });

  it('a primary carries the revision that it was written from, and a foreign one carries none', () => {
    expect(workload.carries(primaryOf(kind))).toBe(workload.revision(target));
    expect(workload.carries({ ...target, spec: {} })).toBeUndefined();
  });

  it('a promotion leaves in the primary the rendered fields and nothing of before, fields unknown included', () => {
    const primary = primaryAtPromotion(kind);
    const { spec, patch, answer } = promote(kind, primary, changed);
    expect(patch[0]).toEqual({ op: 'test', path: '/metadata/resourceVersion', value: primary.metadata.resourceVersion });
    expect(workload.templateMatches(answer, spec)).toBeUndefined();
    expect(workload.carries(answer)).toBe(workload.revision(changed));
    if (lacks.primaryObject === undefined) {
      expect(JSON.stringify(answer.spec).match(/inventedByTheFuture/g)?.length).toBe(
        JSON.stringify(changed.spec).match(/inventedByTheFuture/g)?.length,
      );
    }
  });

  it("promoting the primary's own template changes nothing", () => {
    const { answer } = promote(kind, primaryAtPromotion(kind), changed);
    const again = promote(kind, answer, changed);
    expect(withoutVersion(again.answer)).toEqual(withoutVersion(answer));
    expect(again.patch.filter(({ op, path }) => op !== 'test' && path !== '/spec/template')).toEqual([]);
  });

  it('no foreign field is lost: fields that others set on the primary outlive a promotion', () => {
    const primary = primaryAtPromotion(kind);
    const touched = {
      ...primary,
      metadata: {
        ...primary.metadata,
        labels: { ...primary.metadata.labels, foreign: 'label' },
        annotations: { ...primary.metadata.annotations, foreign: 'annotation' },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ControllerRevision', name: 'anchor', uid: 'a-1' }],
        finalizers: ['example.test/keep'],
      },
    };
    const { answer } = promote(kind, touched, changed);
    expect(answer.metadata).toMatchObject({
      labels: { foreign: 'label' },
      annotations: { foreign: 'annotation' },
      ownerReferences: touched.metadata.ownerReferences,
      finalizers: ['example.test/keep'],
    });
  });

  it('an answer that differs from the rendered object is reported by the path of the field', () => {
    const { spec, answer } = promote(kind, primaryAtPromotion(kind), changed);
    const lost = structuredClone(answer);
    if (raw(lost).spec.template?.metadata?.annotations?.['flagger-id']) raw(lost).spec.template.spec.containers[0].image = 'shop:other';
    else lost.metadata.annotations = {};
    expect(workload.templateMatches(lost, spec)).toMatch(/^(spec|metadata)\./);
  });

  it('a primary that was deleted by hand is restored as promoted, not as the target is now', () => {
    const promoted = workload.promotedPart(workload.renderPrimary(canary, target, options));
    const revision = workload.revision(target);
    const reborn = workload.renderPrimary(canary, changed, { ...options, revision }, JSON.parse(JSON.stringify(promoted)));
    expect(workload.carries(reborn)).toBe(revision);
    expect(workload.promotedPart(reborn)).toEqual(promoted);
  });

  it('a revision is s1: and a SHA-256, which changes only with fields that decide the pods', () => {
    const revision = workload.revision(target);
    expect(revision).toMatch(/^s1:[0-9a-f]{64}$/);
    expect(workload.revision(changed)).not.toBe(revision);
    const elsewhere = structuredClone(target);
    elsewhere.metadata = { name: 'shop', namespace: 'prod' };
    elsewhere.status = { ...raw(elsewhere).status, conditions: [{ type: 'Ready' }] };
    expect(workload.revision(elsewhere)).toBe(revision);
  });

  it('sent to zero and raised again, the target is as before, and its revision never moved', () => {
    const zero = workload.scalePatch(target, 0);
    if (lacks.scaling !== undefined) {
      expect(zero).toBeUndefined();
      expect(workload.replicas(target)).toBe(1);
      return;
    }
    const down: KubeObject = mergePatch(structuredClone(target), zero?.patch ?? {});
    expect(workload.replicas(down)).toBe(0);
    expect(workload.revision(down)).toBe(workload.revision(target));
    expect(workload.readiness({ ...down, status: { observedGeneration: 9 } }, 100)).toMatchObject({ state: 'ready', wanted: 0 });
    const raised: KubeObject = mergePatch(structuredClone(down), workload.scalePatch(down, workload.replicas(target))?.patch ?? {});
    expect(workload.replicas(raised)).toBe(workload.replicas(target));
    expect(raised.spec).toEqual(target.spec);
  });

  it('from a target at zero comes a primary that is not', () => {
    const zero = workload.scalePatch(target, 0);
    const down: KubeObject = zero ? mergePatch(structuredClone(target), zero.patch) : target;
    const primary = workload.renderPrimary(canary, down, { ...options, replicas: workload.replicas(down) });
    expect(workload.replicas(primary)).toBeGreaterThan(0);
    expect(JSON.stringify(workload.primaryTemplate(canary, down, options))).toBe(
      JSON.stringify(workload.primaryTemplate(canary, target, options)),
    );
    expect(workload.scaleUpTarget(down, primary)).toBeGreaterThan(0);
  });

  it('verbs for slim objects give the same for whole ones', () => {
    const slim = workload.slim(deepFreeze(target));
    for (const object of [target, slim]) {
      expect(workload.replicas(object)).toBe(workload.replicas(target));
      expect(workload.isServing(object)).toBe(workload.isServing(target));
      expect(workload.readiness(object, 100)).toEqual(workload.readiness(target, 100));
      const key = lacks.scaling ? 'name' : 'app';
      expect(workload.selectors({ target: object }, ['name', 'app'])).toMatchObject({ key, target: 'shop', primary: 'shop-primary' });
      expect(workload.selectors({ target: object }, ['name', 'app'])).toEqual(workload.selectors({ target }, ['name', 'app']));
      expect(workload.refuses?.(object)).toBeUndefined();
      expect(workload.scalePatch(object, 0)).toEqual(workload.scalePatch(target, 0));
      expect(workload.originals(object)).toEqual(workload.originals(target));
    }
    expect(JSON.stringify(slim)).not.toContain('shop:1');
  });

  it('the sides are read from watched objects, once for both, and a missing one stays missing', () => {
    const watched = workload.watches(canary).map(refKey);
    expect(watched).toContain(refKey(workload.targetRef(canary)));
    expect(watched).toContain(refKey(workload.primaryRef(canary)));
    expect(workload.sides(canary, watching())).toEqual({});
    const { target: side, primary } = workload.sides(canary, watching(target));
    expect(side).toMatchObject({ uid: 't-1', revision: workload.revision(target) });
    expect(side?.generation).toBe(lacks.scaling ? undefined : 3);
    expect(primary).toBeUndefined();
    const both = workload.sides(canary, watching(target, primaryOf(kind)));
    expect(both.primary?.carries).toBe(workload.revision(target));
  });

  it('every selector label stays and one is suffixed; pods of others are none of ours', () => {
    const primary = workload.renderPrimary(canary, target, options);
    if (!workload.hasPods) expect(raw(primary).spec?.selector?.matchLabels).toBeUndefined();
    else expect(raw(primary).spec.selector).toEqual({ matchLabels: { app: 'shop-primary', track: 'live' } });
  });

  it('adoption: a primary of Flagger that holds the target is known, any other is not', () => {
    const flaggers = structuredClone(primaryOf(kind));
    if (raw(flaggers).spec.template?.metadata?.annotations && workload.hasPods)
      raw(flaggers).spec.template.metadata.annotations['flagger-id'] = '0b5c6c3e-0000-4000-8000-000000000000';
    expect(workload.adopts(flaggers, workload.primaryTemplate(canary, target, options))).toBe(true);
    expect(workload.adopts(flaggers, workload.primaryTemplate(canary, changed, options))).toBe(false);
    const theirs = workload.flaggerTemplate?.(target, options);
    if (theirs) expect(workload.adopts({ ...flaggers, spec: { ...raw(flaggers).spec, ...theirs } }, theirs)).toBe(true);
  });

  it("adoption: such a primary's template can be restored, and is recognized then", () => {
    const flaggers = structuredClone(primaryOf(kind));
    if (raw(flaggers).spec.template?.metadata?.annotations && workload.hasPods)
      raw(flaggers).spec.template.metadata.annotations['flagger-id'] = '0b5c6c3e-0000-4000-8000-000000000000';
    const revision = workload.carries(flaggers) ?? `s1:${'7'.repeat(64)}`;
    const held = workload.held(flaggers, revision);
    const promoted = jsonPatch(
      structuredClone(flaggers),
      workload.promotionPatch(flaggers, workload.primaryTemplate(canary, changed, options)),
    ) as KubeObject;
    const restored = jsonPatch(structuredClone(promoted), workload.promotionPatch(promoted, held)) as KubeObject;
    expect(workload.carries(restored)).toBe(revision);
    expect(workload.templateMatches(restored, held)).toBeUndefined();
    if (workload.hasPods) expect(raw(restored).spec.template.spec).toEqual(raw(flaggers).spec.template.spec);
  });

  it('deletion: fields put into the target are removed, once and for all', () => {
    const originals = JSON.parse(JSON.stringify(workload.originals(target)));
    const touched =
      lacks.primaryObject === undefined ? structuredClone(target) : { ...primaryOf(kind), metadata: primaryOf(kind).metadata };
    if (lacks.primaryObject !== undefined) touched.spec = { ...raw(touched).spec, traffic: [{ revisionName: 'shop-00001', percent: 100 }] };
    const patch = workload.restorePatch?.(touched, originals);
    const restored: KubeObject = patch ? mergePatch(structuredClone(touched), patch) : touched;
    expect(restored.spec).toEqual(target.spec);
    expect(restored.metadata.annotations).toEqual(target.metadata.annotations);
    expect(restored.metadata.annotations?.[ownerAnnotation]).toBeUndefined();
  });
});
