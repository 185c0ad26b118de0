import { describe, expect, it } from 'vitest';
import { failingStatuses, failingsOf } from '../../../test/fakes/failing-pods.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import { failingText } from '../../api/pod-failing.ts';
import { failingsIn, noneSeen, podView, withPods } from './failings.ts';

const podOf = (name: string, status: Pod['status'], metadata: object = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'test', uid: name, ...metadata },
    spec: { containers: [] },
    status,
  }) as Pod;
const problemIn = (...pods: Pod[]) => failingsIn(withPods(noneSeen(), pods.map(podView))).problem;

const TEXTS = {
  ImageUnavailable: 'container web of pod podinfo-x cannot pull its image: Back-off pulling image "registry.example/shop:1.3.1"',
  ContainerConfig: 'container web of pod podinfo-x cannot be made: configmap "settings" not found',
  OutOfMemory: 'container web of pod podinfo-x ran out of memory, 4 times so far',
  CrashLoop: 'container web of pod podinfo-x exited with code 1, 4 times so far: DATABASE_URL is not set',
  Unschedulable: 'pod podinfo-x fits on no node: 0/3 nodes are available: 3 Insufficient cpu.',
  PodGated: 'pod podinfo-x waits for a gate: the status of pod readiness gate "lb.example/ready" is not "True"',
  ProbeFails: 'container web of pod podinfo-x runs and is not ready: its readinessProbe or startupProbe does not pass',
} as const satisfies Record<keyof typeof failingStatuses, string>;

describe('the problem of pods that are not ready', () => {
  it.each(Object.entries(TEXTS) as [keyof typeof TEXTS, string][])('%s is named: %s', (cause, text) => {
    const { problem } = failingsOf(failingStatuses[cause]);
    expect(problem).toMatchObject({ pod: 'podinfo-x', cause });
    expect(failingText(problem ?? { pod: '' })).toBe(text);
  });

  it('is absent for a pod that just starts, is ready, is deleted, or is over', () => {
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const starting = { phase: 'Pending', containerStatuses: [{ name: 'web', state: { waiting: { reason: 'ContainerCreating' } } }] };
    const deleted = podOf('d', failingStatuses.CrashLoop, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const over = podOf('o', { ...failingStatuses.CrashLoop, phase: 'Failed' });
    expect(problemIn(podOf('r', ready), podOf('s', starting), deleted, over)).toBeUndefined();
  });

  it('is the most telling one of several pods, in any order, and then the first by name', () => {
    const pods = [
      podOf('c', failingStatuses.ProbeFails),
      podOf('b', failingStatuses.ImageUnavailable),
      podOf('a', failingStatuses.CrashLoop),
      podOf('z', failingStatuses.ImageUnavailable),
    ];
    for (const listed of [pods, pods.toReversed()]) expect(problemIn(...listed)).toMatchObject({ pod: 'b', cause: 'ImageUnavailable' });
  });

  it('is also that of an init container that ended with an error', () => {
    const ended = { name: 'migrate', restartCount: 2, state: { terminated: { exitCode: 7, reason: 'Error', message: 'no schema' } } };
    const problem = problemIn(podOf('a', { phase: 'Pending', initContainerStatuses: [ended] }));
    expect(problem).toMatchObject({ container: 'migrate', exitCode: 7, times: 3, cause: 'CrashLoop', message: 'no schema' });
  });

  it('has a message without credentials, which an event and an alert would spread, and without characters that a terminal obeys', () => {
    const message = 'cannot reach postgres://shop:s3cr3t-word@db:5432/shop\u001b[31m: API_TOKEN=abcDEF123 is refused';
    const said = problemIn(podOf('a', { containerStatuses: [{ name: 'web', state: { terminated: { exitCode: 1, message } } }] }))?.message;
    expect(said).toMatch(/^cannot reach postgres:\/\/.*db:5432.*API_TOKEN=\*{3} is refused$/);
    for (const hidden of ['s3cr3t-word', 'abcDEF123', '\u001b']) expect(said).not.toContain(hidden);
  });

  it('has a message of one line and at most 300 characters', () => {
    const message = `first\n\tsecond ${'x'.repeat(5_000)}`;
    const status = { phase: 'Pending', containerStatuses: [{ name: 'web', state: { waiting: { reason: 'ErrImagePull', message } } }] };
    const said = problemIn(podOf('a', status))?.message ?? '';
    expect([said.length, said.slice(0, 14), said.at(-1)]).toEqual([300, 'first second x', '…']);
  });
});
