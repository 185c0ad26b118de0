import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { workloadFor } from '../../src/workloads/index.ts';
import { raw } from '../fakes/raw.ts';
import { deepFreeze } from './routers-cases.ts';
import { everythingOf, manifestsIn, vectorFile, vectorFiles } from './vectors.ts';

const all = vectorFiles.flatMap((file) => manifestsIn(file).map((target) => ({ name: `${target.kind} ${target.metadata.name}`, target })));

/** One line a part: JSON is YAML, and a change shows as the line that it is in. */
function asText(targets: readonly KubeObject[]): string {
  return targets
    .map((target) => {
      const parts = Object.entries(everythingOf(deepFreeze(target))).map(([part, value]) =>
        Array.isArray(value)
          ? `  ${part}:\n${value.map((object) => `    - ${JSON.stringify(object)}\n`).join('')}`
          : `  ${part}: ${JSON.stringify(value)}\n`,
      );
      return `${target.metadata.name}:\n${parts.join('')}`;
    })
    .join('');
}

/** The same value with the members of every map in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, shuffled(inner)]),
  );
}

function revisionOf(target: KubeObject): string {
  const workload = workloadFor(target);
  return 'unsupported' in workload ? workload.unsupported : workload.revision(target);
}

describe('committed vectors', () => {
  it('are 100 manifests', () => expect(all).toHaveLength(100));

  it.each(vectorFiles)(
    'Revisions: %s have the revisions and make the objects that they had and made when they were committed',
    async (file) => {
      await expect(asText(manifestsIn(file))).toMatchFileSnapshot(vectorFile(`${file}.expected.yaml`));
    },
  );

  it('Revisions: no two manifests of a file have the same revision', () => {
    for (const file of vectorFiles) {
      const revisions = manifestsIn(file).map(revisionOf);
      expect(new Set(revisions).size).toBe(revisions.length);
    }
  });

  it.each(all)('the revision of $name does not depend on the order of keys, nor on its status', ({ target }) => {
    const other = shuffled(target) as KubeObject;
    const metadata = { ...other.metadata, resourceVersion: '999', managedFields: [{ manager: 'kubectl' }] };
    const { status } = raw(target);
    expect(revisionOf({ ...other, metadata, status: { ...status, conditions: [{ type: 'Ready' }] } })).toBe(revisionOf(target));
  });

  it.each(all.filter(({ target }) => raw(target).spec.template?.metadata))(
    'Revisions: the revision of $name is the same from a server that writes creationTimestamp: null',
    ({ target }) => {
      const { template } = raw(target).spec;
      const { creationTimestamp: _, ...metadata } = template.metadata;
      const bare = { ...target, spec: { ...raw(target).spec, template: { ...template, metadata } } };
      const dated = {
        ...target,
        spec: { ...raw(target).spec, template: { ...template, metadata: { ...metadata, creationTimestamp: null } } },
      };
      expect(revisionOf(dated)).toBe(revisionOf(bare));
    },
  );

  it.each(all.filter(({ target }) => raw(target).spec.replicas !== undefined))(
    'replicas are no part of the revision of $name',
    ({ target }) => {
      expect(revisionOf({ ...target, spec: { ...raw(target).spec, replicas: 17 } })).toBe(revisionOf(target));
    },
  );
});
