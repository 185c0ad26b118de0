import { describe, expect, it } from 'vitest';
import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { NodeSelectorTerm, PodSpec } from '../../api/kinds/pod-template.ts';
import { chooseNode, unschedulableMessage } from './choose-node.ts';

const node = (name: string, labels: Record<string, string> = {}, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec,
});
const pod = (spec: PodSpec = {}, owner = 'web'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }] },
  spec,
});
const required = (...nodeSelectorTerms: NodeSelectorTerm[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const nodes = [node('a', { disk: 'ssd', rank: '1' }), node('b', { disk: 'hdd', rank: '5' }), node('c')];
const on = (name: string, owner = 'web') => ({ node: name, owner });

describe('chooseNode', () => {
  it('spreads the pods of one owner first, then all pods', () => {
    expect(chooseNode(pod(), nodes, [])).toBe('a');
    expect(chooseNode(pod(), nodes, [on('a'), on('b'), on('c', 'other'), on('c', 'other')])).toBe('c');
    expect(chooseNode(pod(), nodes, [on('a', 'other'), on('c', 'other')])).toBe('b');
  });

  it.each([
    ['nodeSelector', { nodeSelector: { disk: 'hdd' } }, 'b'],
    ['nodeSelector of no node', { nodeSelector: { disk: 'tape' } }, undefined],
    ['In', required({ matchExpressions: [{ key: 'disk', operator: 'In', values: ['hdd', 'tape'] }] }), 'b'],
    [
      'NotIn, which an absent label satisfies',
      required({ matchExpressions: [{ key: 'disk', operator: 'NotIn', values: ['ssd', 'hdd'] }] }),
      'c',
    ],
    [
      'Exists and Gt together',
      required({
        matchExpressions: [
          { key: 'disk', operator: 'Exists' },
          { key: 'rank', operator: 'Gt', values: ['3'] },
        ],
      }),
      'b',
    ],
    ['Lt', required({ matchExpressions: [{ key: 'rank', operator: 'Lt', values: ['3'] }] }), 'a'],
    ['DoesNotExist', required({ matchExpressions: [{ key: 'disk', operator: 'DoesNotExist' }] }), 'c'],
    [
      'alternatives',
      required(
        { matchExpressions: [{ key: 'no', operator: 'Exists' }] },
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['c'] }] },
      ),
      'c',
    ],
    ['an empty term', required({}), undefined],
  ])('honours %s', (_, spec, wanted) => expect(chooseNode(pod(spec), nodes, [])).toBe(wanted));

  it('avoids tainted and cordoned nodes, unless the pod tolerates them', () => {
    const tainted = [
      node('a', {}, { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] }),
      node('b', {}, { unschedulable: true }),
      node('c', {}, { taints: [{ key: 'slow', effect: 'PreferNoSchedule' }] }),
    ];
    expect(chooseNode(pod(), tainted, [on('c'), on('c')])).toBe('c');
    expect(chooseNode(pod({ tolerations: [{ key: 'gpu', value: 'yes' }] }), tainted, [on('c')])).toBe('a');
    expect(chooseNode(pod({ tolerations: [{ key: 'gpu', value: 'no' }] }), tainted, [])).toBe('c');
    expect(chooseNode(pod({ tolerations: [{ operator: 'Exists' }] }), tainted, [on('c'), on('a')])).toBe('b');
  });
});

describe('resources and the reasons for a pod that no node takes', () => {
  const sized = (name: string, cpu: string) => ({ ...node(name), status: { allocatable: { cpu, memory: '8Gi' } } });
  const wants = (requests: Record<string, string>) => pod({ containers: [{ name: 'web', resources: { requests } }] });

  it('a node whose allocatable is less than the requests does not take the pod', () => {
    expect(chooseNode(wants({ cpu: '6' }), [sized('a', '4'), sized('b', '8')], [])).toBe('b');
    expect(chooseNode(wants({ cpu: '500m', memory: '9Gi' }), [sized('a', '4'), sized('b', '8')], [])).toBeUndefined();
  });

  it('the message counts the nodes by reason', () => {
    const mixed = [sized('a', '4'), sized('b', '4'), { ...sized('c', '64'), spec: { unschedulable: true } }];
    expect(unschedulableMessage(wants({ cpu: '16' }), mixed)).toBe(
      '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, ' +
        'preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    );
    expect(unschedulableMessage(pod({ nodeSelector: { disk: 'tape' } }), nodes)).toContain(
      "3 node(s) didn't match Pod's node affinity/selector",
    );
  });
});
