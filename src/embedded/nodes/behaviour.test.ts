import { expect, it } from 'vitest';
import { behaviourOf } from './behaviour.ts';

const of = (container: object) =>
  behaviourOf({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'web', image: 'web:1', ...container }] },
  });

it.each([
  ['web:1', ''],
  ['localhost:5000/shop/web:1', ''],
  ['registry.invalid/web:1', 'ImagePullBackOff'],
  ['Web:1', 'InvalidImageName'],
])('the image %s is waited for with the reason "%s"', (image, reason) => expect(of({ image }).waitsFor).toBe(reason));

it.each([
  ['512Mi', { limits: { memory: '64Mi' } }, true],
  ['512Mi', { limits: { memory: '1Gi' } }, false],
  ['512Mi', undefined, false],
])('a container that takes %s of %j is ended for it: %s', (value, resources, isEnded) => {
  const { crashes, outOfMemory } = of({ env: [{ name: 'MEMORY', value }], resources });
  expect([crashes, outOfMemory]).toEqual([isEnded, isEnded]);
});
