import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { ApiError } from '../../kube/errors.ts';
import { slowAnnotation } from '../../kube/slow-note.ts';
import { slowApiServer } from './slow-api-server.ts';

const canary = (writer?: string): KubeObject => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  metadata: { name: 'podinfo', namespace: 'test' },
  ...(writer && { status: { phase: 'Succeeded', release: { writer } } }),
});

const lease = (holderIdentity: string, note: string): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: holderIdentity, namespace: 'serin', annotations: { [slowAnnotation]: note }, labels: { [slowAnnotation]: 'true' } },
  spec: { holderIdentity },
});

const over = (items: KubeObject[]) => ({ list: async () => ({ items, resourceVersion: '1' }) });
const SERVICES = '[{"resource":"services","waiting":12,"limit":2}]';

describe('slowApiServer', () => {
  it.each([
    { what: 'says what waits', leases: [lease('a', SERVICES)], says: 'API server is slow: 12 writes of services wait, 2 at a time' },
    {
      what: 'says once what the Leases of several shards of one replica say',
      leases: [lease('a', SERVICES), lease('a', SERVICES)],
      says: 'API server is slow: 12 writes of services wait, 2 at a time',
    },
    { what: 'says nothing without a note', leases: [], says: undefined },
    {
      what: 'takes no text of another writer for a note',
      leases: [lease('a', '\u001b[2J'), lease('b', '[{"resource":"\\n"}]')],
      says: undefined,
    },
  ])('$what', async ({ leases, says }) => expect(await slowApiServer(over(leases), canary())).toBe(says));

  it('leaves the line out if the Lease cannot be read', async () => {
    const list = () => Promise.reject(new ApiError('leases: 403', { status: 403, reason: 'Forbidden' }));
    expect(await slowApiServer({ list }, canary())).toBeUndefined();
  });
});
