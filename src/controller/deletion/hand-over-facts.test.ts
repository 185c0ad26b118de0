import { expect, it } from 'vitest';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import { promotedOf } from './hand-over-facts.ts';

const primary = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'podinfo-primary', namespace: 'test' } };
const recorded = (promotedRevision?: string): Canary => {
  const { promotedRevision: _, ...release } = initialized().release;
  const status = { phase: 'Succeeded', failedChecks: 0, canaryWeight: 0, iterations: 0 } as const;
  return { ...aCanary(), status: { ...status, release: { ...release, ...(promotedRevision && { promotedRevision }) } } };
};

it.each([
  { knows: 'mark and status', carries: 's1:a', status: 's1:b', record: 's1:c', promoted: ['s1:a', 's1:b'] },
  { knows: 'the mark alone', carries: 's1:a', record: 's1:c', promoted: ['s1:a'] },
  { knows: 'the status alone', status: 's1:b', record: 's1:c', promoted: ['s1:b'] },
  { knows: 'the newest record', record: 's1:c', promoted: ['s1:c'] },
  { knows: 'nothing', promoted: [] },
])('I19: the promoted revisions of a primary are known by $knows: $promoted', async ({ carries, status, record, promoted }) => {
  const anchors = { templates: { promoted: async () => record && { revision: record } } };
  const found = await promotedOf(recorded(status), primary, { carries: () => carries }, {
    anchors,
    signal: new AbortController().signal,
  } as never);
  expect(found).toEqual(promoted);
});
