import { describe, expect, it } from 'vitest';
import { asDaemonSet } from '../../api/kinds/daemon-set.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import { REVISION_HASH } from './daemon-set-pods.ts';
import { daemonSetStatus, type NodeSeen } from './daemon-set-status.ts';

const set = asDaemonSet({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'web', generation: 2 }, spec: {} });

function pod(name: string, hash: string, second: number, { isReady = true, isPlaced = true } = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { [REVISION_HASH]: hash }, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: isPlaced ? { nodeName: 'one' } : {},
    status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
}
const seen = (pods: Pod[], leaving: Pod[] = []): NodeSeen => ({
  name: 'one',
  shouldRun: true,
  mayStay: true,
  pods,
  leaving,
  isVacating: leaving.length > 0,
});
const statusOf = (node: NodeSeen) => daemonSetStatus(set, [node], 'new', 0).status;
const one = { currentNumberScheduled: 1, desiredNumberScheduled: 1, numberMisscheduled: 0, observedGeneration: 2 };

describe('the status of a DaemonSet counts one pod a node, as the real one does', () => {
  it.each([
    [
      'the old one while the new one comes up beside it',
      seen([pod('a', 'old', 1), pod('b', 'new', 2)]),
      { numberReady: 1, numberAvailable: 1 },
    ],
    [
      'the old one, ready or not',
      seen([pod('a', 'old', 1, { isReady: false }), pod('b', 'new', 2)]),
      { numberReady: 0, numberUnavailable: 1 },
    ],
    ['one that is leaving, until it is gone', seen([pod('b', 'new', 2)], [pod('a', 'old', 1)]), { numberReady: 1, numberAvailable: 1 }],
    [
      'of two of one second the first by name',
      seen([pod('b', 'old', 1), pod('a', 'new', 1)]),
      { numberReady: 1, numberAvailable: 1, updatedNumberScheduled: 1 },
    ],
    [
      'one that has its node before one that waits for it',
      seen([pod('a', 'old', 1, { isPlaced: false, isReady: false }), pod('b', 'new', 2)]),
      { numberReady: 1, numberAvailable: 1, updatedNumberScheduled: 1 },
    ],
  ])('%s', (_, node, counts) => expect(statusOf(node)).toEqual({ ...one, ...counts }));
});
