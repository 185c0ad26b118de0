import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { portsWithoutOurs } from './restore-ports.ts';

const web = { name: 'web', port: 8080 };
const http = { name: 'http', port: 80 };
const written = (manager: string, ...ports: number[]) => ({
  manager,
  operation: 'Apply',
  fieldsV1: { 'f:spec': { 'f:ports': Object.fromEntries(ports.map((port) => [`k:{"port":${port},"protocol":"TCP"}`, {}])) } },
});
const aService = (managedFields: object[], applied?: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'shop',
    namespace: 'prod',
    managedFields: managedFields as never,
    ...(applied && { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(applied) } }),
  },
  spec: { ports: [http, web] },
});
const recorded = { selector: {}, ports: [web] };
const ours = [written('serin', 80, 8080)];

it.each([
  { what: 'ours go', service: aService(ours), original: recorded, left: [web] },
  { what: 'ours go, where the last manifest has its own', service: aService(ours, { spec: { ports: [web] } }), left: [web] },
  { what: 'what another writes too stays', service: aService([...ours, written('kubectl-edit', 80)]), original: recorded },
  { what: 'what the last manifest has stays', service: aService(ours, { spec: { ports: [http] } }), original: recorded },
  { what: 'of an unknown writer all stay', service: aService([]), original: recorded },
  { what: 'where no original is known all stay', service: aService(ours) },
  { what: 'the last of them stays', service: aService(ours), original: { selector: {}, ports: [{ port: 1 }] } },
  { what: 'one that is led to by number stays', service: aService(ours), original: recorded, needed: [80] },
  { what: 'one that is led to by name stays', service: aService(ours), original: recorded, needed: ['http'] },
])('the ports of a restored Service: $what', ({ service, original, needed = [], left }) =>
  expect(portsWithoutOurs(service, original, new Set<number | string>(needed))).toEqual(left),
);
