import { describe, expect, it } from 'vitest';
import { countOf } from '../pods/sides.ts';
import { deployment } from './deployment.ts';

const counted = {
  apiVersion: 'apps/v1',
  kind: 'Deployment' as const,
  metadata: { name: 'shop', generation: 4, annotations: { 'deployment.kubernetes.io/revision': '2' } },
  spec: { replicas: 2 },
  status: { observedGeneration: 4, replicas: 2, updatedReplicas: 2 },
};

describe('the number of a template', () => {
  it.each([
    { what: 'that is observed', edit: {}, count: { rollout: '2' } },
    { what: 'scaled to zero, without pods', edit: { status: { observedGeneration: 4 } }, count: { rollout: '2' } },
    { what: 'that is rolled out', edit: { status: { ...counted.status, replicas: 3, updatedReplicas: 1 } }, count: { rollout: '2' } },
    {
      what: 'that is not observed',
      edit: { status: { ...counted.status, observedGeneration: 3 } },
      count: { rollout: '2', uncounted: true },
    },
    {
      what: 'that came with other replicas, which alone are observed',
      edit: { status: { observedGeneration: 4, replicas: 2 } },
      count: { rollout: '2', uncounted: true },
    },
    { what: 'that no controller has read', edit: { status: undefined }, count: { rollout: '2', uncounted: true } },
    { what: 'of a controller that counts none', edit: { metadata: { name: 'shop', generation: 4 } }, count: {} },
    { what: 'while it is paused, when none is counted', edit: { spec: { paused: true } }, count: {} },
  ])('Revisions: of one $what', ({ edit, count }) => {
    expect(countOf(deployment, { ...counted, ...edit })).toEqual(count);
    expect(countOf(deployment, deployment.slim({ ...counted, ...edit }))).toEqual(count);
  });
});
