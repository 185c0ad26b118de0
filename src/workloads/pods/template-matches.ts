import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { firstDifference, type ServerDefaults } from '../first-difference.ts';
import type { PrimarySpec } from '../workload.ts';

/**
 * Defaults that API servers fill into a pod template or a Deployment, by field name. Source: the defaults that the
 * Kubernetes API reference documents for Deployment, PodSpec, Container, Probe and Volume.
 */
const SERVER_DEFAULTS: ServerDefaults = {
  apiVersion: ['v1'],
  creationTimestamp: [null],
  defaultMode: [420],
  dnsPolicy: ['ClusterFirst'],
  expirationSeconds: [3600],
  failureThreshold: [3],
  imagePullPolicy: ['Always', 'IfNotPresent'],
  maxSurge: ['25%'],
  maxUnavailable: ['25%'],
  periodSeconds: [10],
  progressDeadlineSeconds: [600],
  protocol: ['TCP'],
  restartPolicy: ['Always'],
  revisionHistoryLimit: [10],
  schedulerName: ['default-scheduler'],
  scheme: ['HTTP'],
  successThreshold: [1],
  terminationGracePeriodSeconds: [30],
  terminationMessagePath: ['/dev/termination-log'],
  terminationMessagePolicy: ['File'],
  timeoutSeconds: [1],
  type: ['RollingUpdate'],
};

/**
 * Path of the first field in which the server's answer differs from the rendered spec, except for server defaults; undefined if none does. `before`: the object
 * before the write, so that later additions of the server are distinguished from fields that were left.
 */
export function templateMatches(answer: KubeObject, rendered: PrimarySpec, before?: KubeObject): string | undefined {
  return firstDifference(promotable(answer), rendered, 'spec', SERVER_DEFAULTS, before && { held: promotable(before) });
}

function promotable(object: KubeObject): Record<string, unknown> {
  const { replicas: _replicas, selector: _selector, paused: _paused, ...held } = asPodWorkload(object).spec ?? {};
  return held;
}
