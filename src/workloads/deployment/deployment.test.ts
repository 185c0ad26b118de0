import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import type { Raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { RenderOptions } from '../workload.ts';
import { deployment } from './deployment.ts';

const [target, golden] = parseAllDocuments(readFileSync(new URL('worked-example.yaml', import.meta.url), 'utf8')).map(
  (document): KubeObject => document.toJS(),
) as [KubeObject, KubeObject];
const canary = parsedCanary({}, { name: 'checkout', namespace: 'shop' });
const options: RenderOptions = {
  selector: { key: 'app', target: 'checkout', primary: 'checkout-primary' },
  includeLabelPrefix: ['app.kubernetes.io'],
  selectorLabels: ['app', 'name', 'app.kubernetes.io/name'],
  revision: 's1:beef',
  replicas: 3,
};
/** A copy without shared parts, as from a JSON decoder. */
const copy = <T>(value: T): T => structuredClone(value);
const edited = (edit: (object: Raw) => void, from = target): KubeObject => {
  const object = copy(from);
  edit(object);
  return object;
};

describe('renderPrimary', () => {
  it('makes the primary of the worked example, without the defects of Flagger', () => {
    const before = copy(target);
    expect(deployment.renderPrimary(canary, target, options)).toEqual(golden);
    expect(target).toEqual(before);
  });

  it.each([
    { replicas: 0, created: 1 },
    { replicas: 7, created: 7 },
  ])('$replicas desired replicas give a primary with $created', ({ replicas, created }) => {
    expect(deployment.renderPrimary(canary, target, { ...options, replicas }).spec).toMatchObject({ replicas: created });
  });

  it('the prefix * copies all labels that are not for tracking, an empty prefix none', () => {
    const labelsFor = (prefix: string) =>
      deployment.renderPrimary(canary, target, { ...options, includeLabelPrefix: [prefix] }).metadata.labels;
    expect(labelsFor('*')).toEqual({ 'app.kubernetes.io/part-of': 'shop', team: 'payments', app: 'checkout-primary' });
    expect(labelsFor('')).toEqual({ app: 'checkout-primary' });
  });
});

describe('revision', () => {
  it('is s1: and a SHA-256, and depends only on the template', () => {
    const revision = deployment.revision(target);
    expect(revision).toMatch(/^s1:[0-9a-f]{64}$/);
    const scaled = edited(({ spec, metadata }) => {
      spec.replicas = 9;
      spec.strategy = { type: 'Recreate' };
      metadata.labels = {};
    });
    expect(deployment.revision(scaled)).toBe(revision);
  });

  it('an unknown field counts; undefined and creationTimestamp null do not', () => {
    const revision = deployment.revision(target);
    const sameAs = edited(({ spec }) => {
      spec.template.metadata.creationTimestamp = null;
      spec.template.spec.invented = undefined;
    });
    expect(deployment.revision(sameAs)).toBe(revision);
    expect(
      deployment.revision(
        edited(({ spec }) => {
          spec.template.spec.invented = { deep: [null] };
        }),
      ),
    ).not.toBe(revision);
    expect(
      deployment.revision(
        edited(({ spec }) => {
          spec.template.spec.containers[0].invented = false;
        }),
      ),
    ).not.toBe(revision);
  });

  it('does not depend on key order', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, inner]) => [key, reversed(inner)]),
      );
    };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (podSpec) => {
        const one = { ...target, spec: { template: { spec: podSpec } } };
        const other = { ...target, spec: { template: { spec: reversed(podSpec) } } };
        expect(deployment.revision(other)).toBe(deployment.revision(one));
      }),
    );
  });
});

describe('readiness', () => {
  const seen = {
    generation: 2,
    observed: 2,
    wanted: 4,
    replicas: 4,
    updated: 4,
    available: 4,
    threshold: 100,
    reason: 'NewReplicaSetAvailable',
  };
  it.each([
    { is: 'all available', state: 'ready' },
    { is: 'a stale generation', observed: 1, state: 'waiting' },
    { is: 'a deadline exceeded', reason: 'ProgressDeadlineExceeded', state: 'stalled' },
    { is: 'an update under way', updated: 3, replicas: 3, state: 'waiting' },
    { is: 'an old pod left', replicas: 5, state: 'waiting' },
    { is: '2 of 4 at 50%', available: 2, threshold: 50, state: 'ready' },
    { is: '1 of 4 at 50%', available: 1, threshold: 50, state: 'waiting' },
    { is: '52 of 100 at 53%', wanted: 100, replicas: 100, updated: 100, available: 52, threshold: 53, state: 'waiting' },
    { is: '29 of 100 at 29%', wanted: 100, replicas: 100, updated: 100, available: 29, threshold: 29, state: 'ready' },
    { is: '28 of 100 at 29%', wanted: 100, replicas: 100, updated: 100, available: 28, threshold: 29, state: 'waiting' },
    { is: 'zero wanted', wanted: 0, replicas: 0, updated: 0, available: 0, state: 'ready' },
    { is: 'zero wanted, a pod left', wanted: 0, replicas: 1, updated: 0, available: 1, state: 'waiting' },
    { is: 'none available at threshold 0', available: 0, threshold: 0, state: 'waiting' },
    { is: 'one available at threshold 0', available: 1, threshold: 0, state: 'ready' },
  ])('$is is $state', ({ state, is: _is, ...change }) => {
    const { generation, observed, wanted, replicas, updated, available, threshold, reason } = { ...seen, ...change };
    const object: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', generation },
      spec: { replicas: wanted },
      status: {
        observedGeneration: observed,
        replicas,
        updatedReplicas: updated,
        availableReplicas: available,
        conditions: [{ type: 'Progressing', status: 'True', reason }],
      },
    };
    const readiness = deployment.readiness(object, threshold);
    expect(readiness).toMatchObject({ state, ready: available, wanted });
    expect(readiness.reason === undefined).toBe(state === 'ready');
    expect(deployment.isServing(object)).toBe(available > 0);
  });

  it.each([
    { is: 'terminating', unavailableReplicas: 0, reason: 'Deployment web: old pods are left: 1' },
    {
      is: 'there because the new one does not come',
      unavailableReplicas: 1,
      reason: 'Deployment web: unavailable pods: 1; until the new ones are available, old ones stay: 1',
    },
  ])('old pods that are $is are reported as such', ({ unavailableReplicas, reason }) => {
    const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 1, unavailableReplicas };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', generation: 1 }, spec: { replicas: 1 }, status };
    expect(deployment.readiness(object, 100).reason).toBe(reason);
  });

  it('a Deployment without status waits, and serves no traffic', () => {
    const created: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', generation: 1 }, spec: {} };
    expect(deployment.readiness(created, 100)).toMatchObject({ state: 'waiting', ready: 0, wanted: 1 });
    expect(deployment.isServing(created)).toBe(false);
  });
});

describe('promotion', () => {
  const held = edited(({ metadata }) => {
    metadata.resourceVersion = '41';
  }, golden);

  it('has the revision from which it was written, and no data of another controller', () => {
    expect(deployment.carries(golden)).toBe('s1:beef');
    expect(deployment.carries(target)).toBeUndefined();
    expect(deployment.carries({ ...target, spec: {} })).toBeUndefined();
  });

  it('I3: replaces the template under the resourceVersion, and every other difference', () => {
    const changed = edited(({ spec }) => {
      spec.strategy = { type: 'Recreate' };
      delete spec.minReadySeconds;
      spec.replicas = 99;
      spec.invented = 1;
    });
    const spec = deployment.primaryTemplate(canary, changed, { ...options, revision: 's1:cafe' });
    expect(deployment.promotionPatch(held, spec)).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '41' },
      { op: 'replace', path: '/spec/template', value: spec.template },
      { op: 'add', path: '/spec/invented', value: 1 },
      { op: 'remove', path: '/spec/minReadySeconds' },
      { op: 'replace', path: '/spec/strategy', value: { type: 'Recreate' } },
    ]);
    expect(spec.template?.metadata?.annotations).toMatchObject({ 'flagger-id': 's1:cafe' });
  });

  const rendered = deployment.primaryTemplate(canary, target, options);
  it.each<{ what: string; edit: (object: Raw) => void; field: string | undefined }>([
    { what: 'nothing else', edit: () => undefined, field: undefined },
    {
      what: 'server defaults',
      edit: ({ spec }) => {
        Object.assign(spec.template.spec, { dnsPolicy: 'ClusterFirst', securityContext: {}, terminationGracePeriodSeconds: 30 });
        Object.assign(spec.template.spec.containers[0], { resources: {}, imagePullPolicy: 'IfNotPresent' });
        spec.template.spec.containers[0].ports[0].protocol = 'TCP';
      },
      field: undefined,
    },
    {
      what: 'a leftover',
      edit: ({ spec }) => {
        spec.template.spec.hostNetwork = true;
      },
      field: 'spec.template.spec.hostNetwork',
    },
    {
      what: 'a leftover container',
      edit: ({ spec }) => void spec.template.spec.containers.push({ name: 'x' }),
      field: 'spec.template.spec.containers[1]',
    },
    { what: 'a lost field', edit: ({ spec }) => void delete spec.template.spec.affinity, field: 'spec.template.spec.affinity' },
    {
      what: 'another image',
      edit: ({ spec }) => {
        spec.template.spec.containers[0].image = 'x';
      },
      field: 'spec.template.spec.containers[0].image',
    },
    {
      what: 'another deadline',
      edit: ({ spec }) => {
        spec.progressDeadlineSeconds = 600;
      },
      field: 'spec.progressDeadlineSeconds',
    },
  ])('templateMatches names $field when the answer has $what', ({ edit, field }) => {
    expect(deployment.templateMatches(edited(edit, golden), rendered)).toBe(field);
  });

  it('templateMatches sees an explicit zero that the server has replaced by its default', () => {
    const zero = edited(({ spec }) => {
      spec.template.spec.terminationGracePeriodSeconds = 0;
    });
    const answer = edited(({ spec }) => {
      spec.template.spec.terminationGracePeriodSeconds = 30;
    }, golden);
    const spec = deployment.primaryTemplate(canary, zero, options);
    expect(deployment.templateMatches(answer, spec)).toBe('spec.template.spec.terminationGracePeriodSeconds');
  });

  it('invented fields at every level pass from the target into primary and patch', () => {
    const invented = { invented: { list: [{ deep: null }] } };
    const strange = edited(({ spec }) => {
      const { template } = spec;
      const antiAffinity = template.spec.affinity.podAntiAffinity;
      const [required] = antiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
      for (const level of [spec, template, template.metadata, template.spec, template.spec.containers[0], template.spec.affinity])
        Object.assign(level, invented);
      for (const level of [antiAffinity, required, required.labelSelector, template.spec.topologySpreadConstraints[0]])
        Object.assign(level, invented);
    });
    const expected = JSON.stringify(strange.spec).split('"invented"').length;
    const spec = deployment.primaryTemplate(canary, strange, options);
    expect(expected).toBe(11);
    expect(JSON.stringify(spec).split('"invented"').length).toBe(expected);
    expect(JSON.stringify(deployment.renderPrimary(canary, strange, options).spec).split('"invented"').length).toBe(expected);
    expect(JSON.stringify(deployment.promotionPatch(held, spec)).split('invented').length).toBe(expected);
  });
});

describe('scaleUpTarget', () => {
  const withReplicas = (replicas: number | undefined) =>
    edited(({ spec }) => {
      spec.replicas = replicas;
    });
  it.each([
    { target: 3, primary: 5, pods: 3 },
    { target: 0, primary: 5, pods: 5 },
    { target: 0, primary: 0, pods: 1 },
    { target: undefined, primary: 5, pods: 1 },
  ])('target $target beside primary $primary is scaled to $pods', ({ target: own, primary, pods }) => {
    expect(deployment.scaleUpTarget(withReplicas(own), withReplicas(primary))).toBe(pods);
  });
  it('without a primary the target is scaled to one', () => {
    expect(deployment.scaleUpTarget(withReplicas(0), undefined)).toBe(1);
  });
});
