import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../canonical-json.ts';
import type { PrimarySpec } from '../workload.ts';

/**
 * What API servers fill in where a pod template or a Deployment is silent, by field name. Source: the defaults that the
 * Kubernetes API reference documents for Deployment, PodSpec, Container, Probe and Volume.
 */
const SERVER_DEFAULTS: Record<string, readonly unknown[]> = {
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

/** Path of the first field in which the server's answer is not what was rendered, server defaults aside; undefined: none. */
export function templateMatches(answer: KubeObject, rendered: PrimarySpec): string | undefined {
  const { replicas: _replicas, selector: _selector, paused: _paused, ...held } = answer.spec ?? {};
  return firstDifference(held, rendered, 'spec');
}

function firstDifference(held: unknown, rendered: unknown, path: string): string | undefined {
  if (Array.isArray(held) && Array.isArray(rendered)) {
    if (held.length !== rendered.length) return `${path}[${Math.min(held.length, rendered.length)}]`;
    return firstOf(rendered.keys(), (index) => firstDifference(held[index], rendered[index], `${path}[${index}]`));
  }
  if (isRecord(held) && isRecord(rendered)) {
    const keys = new Set([...Object.keys(rendered), ...Object.keys(held)]);
    return firstOf(keys, (key) => memberDifference(held, rendered, key, `${path}.${key}`));
  }
  return held === rendered ? undefined : path;
}

function memberDifference(held: Record<string, unknown>, rendered: Record<string, unknown>, key: string, path: string): string | undefined {
  const isHeld = isSaid(held[key]);
  // An explicit 0, false or '' is lost when the server holds something else, be it a default.
  const isExplicit = isSaid(rendered[key]) || (rendered[key] != null && typeof rendered[key] !== 'object');
  if (isHeld && isExplicit) return firstDifference(held[key], rendered[key], path);
  if (isHeld) return isDefault(key, held[key], rendered) ? undefined : path;
  return isSaid(rendered[key]) ? path : undefined;
}

/** Servers leave out what is empty, or fill it in: `{}`, `[]`, `''`, 0, false and null all mean that nothing was said. */
function isSaid(value: unknown): boolean {
  if (!value) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function isDefault(key: string, value: unknown, rendered: Record<string, unknown>): boolean {
  if (key === 'serviceAccount') return value === rendered.serviceAccountName;
  if (isRecord(value)) return Object.entries(value).every(([inner, innerValue]) => !isSaid(innerValue) || isDefault(inner, innerValue, {}));
  return SERVER_DEFAULTS[key]?.includes(value) ?? false;
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
