import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { createProjection } from '../../kube/projection.ts';
import { UsersObjects } from './users-objects.ts';

const object = (name: string, namespace: string, annotations: Record<string, string> = {}, resourceVersion = '1'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Rule',
  metadata: { name, namespace, annotations, resourceVersion },
});

it('I15: only objects of a kind that users made in the namespace are looked through, and each change is followed', () => {
  const projection = createProjection((it) => ({ object: it }));
  projection.handler.onList([object('a', 'x'), object('b', 'y'), object('ours', 'x', { [ownerAnnotation]: 'c-1' })], '1');
  const users = new UsersObjects(projection);
  const namesIn = (namespace: string) => users.of(namespace).map(({ metadata }) => metadata.name);
  expect([namesIn('x'), namesIn('y'), namesIn('z')]).toEqual([['a'], ['b'], []]);
  projection.learn(object('c', 'z', {}, '2'));
  projection.learn(object('b', 'y', { [ownerAnnotation]: 'c-1' }, '3'));
  projection.forget({ namespace: 'x', name: 'a' });
  expect([namesIn('x'), namesIn('y'), namesIn('z')]).toEqual([[], [], ['c']]);
});
