import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { type Configs, faultOf } from './fault.ts';
import { type Moment, momentsOf, statusAt } from './pod-lives.ts';

const named = (name: string, data: object) =>
  ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'shop' }, data }) as KubeObject;
const nothing: Configs = { configMap: () => undefined, secret: () => undefined };
const podOf = (container: object, spec: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', uid: 'u1' },
    spec: { containers: [{ name: 'web', image: 'ghcr.io/example/web:2.0.0', ...container }], ...spec },
  }) as KubeObject;

function firstMoments(pod: KubeObject, count: number, configs = nothing): Moment[] {
  const fault = faultOf(pod, configs);
  if (fault === undefined) throw new Error('the pod has no fault');
  return momentsOf(pod, fault).take(count).toArray();
}
const waitingOf = ({ container }: Moment) => raw(container.state).waiting;

describe('the pod player', () => {
  it('a pod without a fault is left to the nodes', () => {
    expect(faultOf(podOf({ readinessProbe: { httpGet: { path: '/readyz' } } }), nothing)).toBeUndefined();
  });

  it('a pull that fails is in turn ErrImagePull and ImagePullBackOff, which keeps the error', () => {
    const [first, second, third] = firstMoments(podOf({ image: 'ghcr.io/example/web:none' }), 3).map(waitingOf);
    expect(first).toMatchObject({
      reason: 'ErrImagePull',
      message: expect.stringMatching(/^rpc error: code = NotFound desc = failed to pull/),
    });
    expect(second.reason).toBe('ImagePullBackOff');
    expect(second.message).toBe(`Back-off pulling image "ghcr.io/example/web:none": ErrImagePull: ${first.message}`);
    expect(third).toEqual(first);
  });

  it('a missing pull secret is an event, and the message is the registry’s', () => {
    const [first] = firstMoments(podOf({ image: 'registry.example.com/team/web:1' }, { imagePullSecrets: [{ name: 'login' }] }), 1);
    expect(first?.events[0]?.message).toContain('(login)');
    expect(first && waitingOf(first).message).toContain('no basic auth credentials');
  });

  it('a crashing container has its last words in lastState, and no back-off before its first restart', () => {
    const pod = podOf({ image: 'ghcr.io/example/web:2.0.0-database', terminationMessagePolicy: 'FallbackToLogsOnError' });
    const moments = firstMoments(pod, 5);
    expect(moments.map(({ container }) => [Object.keys(container.state)[0], container.restartCount])).toEqual([
      ['running', 0],
      ['terminated', 0],
      ['running', 1],
      ['terminated', 1],
      ['waiting', 1],
    ]);
    expect(moments[4]?.container).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container=web pod=web-1_shop(u1)' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error', message: 'panic: DATABASE_URL is not set\n' } },
    });
  });

  it('a memory limit that is too small ends the container with 137', () => {
    const pod = podOf({ image: 'ghcr.io/example/web:2.0.0-large', resources: { limits: { memory: '32Mi' } } });
    expect(firstMoments(pod, 2)[1]?.container.state).toMatchObject({ terminated: { exitCode: 137, reason: 'OOMKilled' } });
    expect(faultOf(podOf({ image: 'ghcr.io/example/web:2.0.0-large', resources: { limits: { memory: '1Gi' } } }), nothing)).toBeUndefined();
  });

  it('a config that is missing, or lacks the key, is named as the kubelet names it', () => {
    const secret = () => named('database', { URL: '' });
    const pod = podOf({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'database', key: 'url' } } }] });
    const [moment] = firstMoments(pod, 1, { ...nothing, secret });
    expect(moment && waitingOf(moment)).toEqual({
      reason: 'CreateContainerConfigError',
      message: "couldn't find key url in Secret shop/database",
    });
    const [other] = firstMoments(podOf({ envFrom: [{ configMapRef: { name: 'settings' } }] }), 1);
    expect(other && waitingOf(other).message).toBe('configmap "settings" not found');
  });

  it('the status has the conditions of a pod that is not ready, and names the container', () => {
    const pod = podOf({ readinessProbe: { httpGet: { path: '/ready' } } });
    const [moment] = firstMoments(pod, 1);
    const status = raw(statusAt(pod, moment as Moment, '2026-01-01T00:00:00Z'));
    expect(status.conditions.map(({ type, status: is }: { type: string; status: string }) => `${type} ${is}`)).toEqual([
      'PodReadyToStartContainers True',
      'Initialized True',
      'Ready False',
      'ContainersReady False',
      'PodScheduled True',
    ]);
    expect(status.conditions[2].message).toBe('containers with unready status: [web]');
    expect(status.containerStatuses[0]).toMatchObject({ name: 'web', ready: false, started: true });
    expect(moment?.events[0]?.message).toBe('Readiness probe failed: HTTP probe failed with statuscode: 404');
  });
});
