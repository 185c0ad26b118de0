import { expect, it } from 'vitest';
import type { Pod } from '../../api/kinds/pod.ts';
import { type ContainerSeen, podStatus } from './pod-status.ts';

const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
const known = { endsBy: 'Error', isReady: false, restarts: 0, podIP: '10.244.0.1', hostIP: '10.0.0.1', startedAt: 'then' } as const;
const end = { exitCode: 3, finishedAt: 'now' };
const terminated = { terminated: { exitCode: 3, reason: 'Error', finishedAt: 'now' } };

it.each<[string, Partial<ContainerSeen>, object]>([
  ['runs', { state: 'running', isReady: true }, { restartCount: 0, ready: true, state: { running: { startedAt: 'then' } } }],
  ['has just ended, and is not counted as restarted', { ...end, state: 'ended' }, { restartCount: 0, ready: false, state: terminated }],
  [
    'waits for its back-off',
    { ...end, state: 'crashed' },
    { restartCount: 0, ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: terminated },
  ],
  ['runs again', { ...end, state: 'running', restarts: 1, isReady: true }, { restartCount: 1, ready: true, lastState: terminated }],
  [
    'ran out of memory',
    { state: 'ended', endsBy: 'OOMKilled', exitCode: 137 },
    { state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
  ],
])('a container that %s is reported as the kubelet does', (_, seen, status) => {
  const { containerStatuses } = podStatus(pod, { ...known, state: 'running', ...seen }, 'now');
  expect(containerStatuses).toMatchObject([status]);
});
