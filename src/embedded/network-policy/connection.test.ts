import { describe, expect, it } from 'vitest';
import type { NetworkPolicy } from '../../api/kinds/network-policy.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import { type ConnectionEnd, connectionRefusal, endOf } from './connection.ts';

const policy = (spec: NetworkPolicy['spec'], namespace = 'shop'): NetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'limits', namespace },
  spec,
});
const aPod = (name: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', labels: { app: name } },
  spec,
  status: { podIP: '10.244.0.1', hostIP: '10.0.0.1' },
});
const closed = policy({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
const refusal = (policies: readonly NetworkPolicy[], from: ConnectionEnd, to: ConnectionEnd, port?: number) =>
  connectionRefusal({ policies, labelsOf: () => ({}) }, from, to, port);
const web = endOf(aPod('web'));

describe('a connection under NetworkPolicies', () => {
  it('from a pod to itself is never refused, whichever address it has by then', () => {
    expect(refusal([closed], { ...web, address: '10.244.0.9' }, web)).toBeUndefined();
    expect(refusal([closed], endOf(aPod('client')), web)).toContain('shop/limits (Egress)');
  });

  it('between a pod and its node is never refused', () => {
    const onNode = endOf(aPod('agent', { hostNetwork: true }));
    expect(refusal([closed], onNode, web)).toBeUndefined();
    expect(refusal([closed], web, onNode)).toBeUndefined();
    expect(refusal([closed], { address: '10.0.0.2' }, web)).toContain('from address 10.0.0.2 to pod shop/web');
  });

  it('of a pod in the network of its node is one of the node: no policy selects it, and no selector finds it', () => {
    const elsewhere: ConnectionEnd = { ...web, pod: { ...web.pod, namespace: 'shop', labels: {}, nodeAddress: '10.0.0.2' } };
    const onNode = endOf(aPod('agent', { hostNetwork: true }));
    const fromPods = policy({ podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] });
    const fromNode = policy({ podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1/32' } }] }] });
    expect(refusal([fromPods], onNode, elsewhere)).toContain('from address 10.0.0.1');
    expect(refusal([fromNode], onNode, elsewhere)).toBeUndefined();
    expect(refusal([policy({ podSelector: {}, ingress: [] })], elsewhere, onNode)).toBeUndefined();
  });

  it('to a Service without ports is admitted only by a rule that names none', () => {
    expect(refusal([policy({ ingress: [{}] })], { address: '' }, web)).toBeUndefined();
    expect(refusal([policy({ ingress: [{ ports: [{ port: 80 }] }] })], { address: '' }, web)).toBeDefined();
  });

  it('finds a named port in containers and sidecars, only by TCP', () => {
    const ports = (name: string, containerPort: number, protocol = 'TCP') => ({ name, ports: [{ name, containerPort, protocol }] });
    const to = endOf(
      aPod('web', {
        containers: [ports('http', 8080), ports('dns', 53, 'UDP')],
        initContainers: [{ ...ports('proxy', 15001), restartPolicy: 'Always' }, ports('setup', 1)],
      }),
    );
    const admits = (port: string, number: number) =>
      refusal([policy({ ingress: [{ ports: [{ port }] }] })], { address: '' }, to, number) === undefined;
    expect([admits('http', 8080), admits('proxy', 15001)]).toEqual([true, true]);
    expect([admits('http', 8081), admits('dns', 53), admits('setup', 1)]).toEqual([false, false, false]);
  });

  it.each([
    { cidr: '2001:db8::/64', address: '2001:db8::7', isIn: true },
    { cidr: '2001:db8::/64', address: '2001:db8:0:1::7', isIn: false },
    { cidr: '0.0.0.0/0', address: '2001:db8::7', isIn: false },
    { cidr: '0.0.0.0/0', address: '', isIn: false },
  ])('$cidr has "$address": $isIn', ({ cidr, address, isIn }) => {
    const found = refusal([policy({ ingress: [{ from: [{ ipBlock: { cidr } }] }] })], { address }, web);
    expect(found === undefined).toBe(isIn);
  });
});
