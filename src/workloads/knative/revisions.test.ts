import { describe, expect, it } from 'vitest';
import { revisionRef, revisionState } from './revisions.ts';

const revision = (conditions?: object[]) => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: { name: 'shop-00002', namespace: 'shop' },
  ...(conditions && { status: { conditions } }),
});

describe('a Revision as a side of a release', () => {
  it.each([
    { what: 'is Ready', conditions: [{ type: 'Ready', status: 'True' }], state: 'ready', serving: true },
    { what: 'has said nothing yet', conditions: undefined, state: 'waiting', serving: false },
    { what: 'is starting', conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Deploying' }], state: 'waiting', serving: false },
    {
      what: 'cannot pull its image',
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainerMissing', message: 'no such image' }],
      state: 'waiting',
      serving: false,
    },
    {
      what: "has passed Knative's own deadline",
      conditions: [{ type: 'Ready', status: 'False', reason: 'ProgressDeadlineExceeded' }],
      state: 'stalled',
      serving: false,
    },
    { what: 'is ready in parts', conditions: [{ type: 'ContainerHealthy', status: 'True' }], state: 'waiting', serving: false },
  ])('a Revision that $what is $state, serving: $serving', ({ conditions, state, serving }) => {
    const found = revisionState(revision(conditions), 'shop-00002');
    expect([found.readiness.state, found.serving]).toEqual([state, serving]);
    expect(found.readiness).toMatchObject({ ready: state === 'ready' ? 1 : 0, wanted: 1 });
    expect(found.readiness.reason === undefined).toBe(state === 'ready');
  });

  it('a missing Revision is reported by name, with the message of Knative', () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'ContainerMissing', message: 'no such image' }];
    expect(revisionState(revision(conditions), 'shop-00002').readiness.reason).toBe('Revision shop-00002: ContainerMissing: no such image');
    expect(revisionState(undefined, 'shop-00002').readiness).toMatchObject({
      state: 'waiting',
      reason: 'Revision shop-00002: it does not exist',
    });
  });
});

it('a Revision of a Knative Service is looked up by its name in the namespace of the Service', () => {
  const service = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'shop', namespace: 'shop' } };
  expect(revisionRef(service, 'shop-00002')).toEqual({
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Revision',
    name: 'shop-00002',
    namespace: 'shop',
  });
});
