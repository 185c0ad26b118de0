import { expect, it } from 'vitest';
import { LONGEST_IMAGE, MOST_IMAGES } from '../../api/container-image.ts';
import { remembered } from '../index.ts';
import { imagesOf } from './images.ts';

const deployment = (containers: unknown) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: { containers } } },
});

it('the images of a watched Deployment are remembered, and its template is not', () => {
  const seen = remembered(deployment([{ name: 'web', image: 'acme/web:1', env: [{ name: 'A', value: 'b' }] }]));
  expect(seen.images).toEqual([{ container: 'web', image: 'acme/web:1' }]);
  expect(JSON.stringify(seen.object)).not.toContain('acme/web');
});

it.each([{ containers: undefined }, { containers: 'web' }, { containers: {} }])('containers that are $containers have no images', (one) => {
  expect(imagesOf(deployment(one.containers))).toBeUndefined();
});

it('how many images a tenant names, and how long they are, is bounded', () => {
  const images = imagesOf(deployment([null, ...Array.from({ length: 1_000 }, () => ({ name: 'web', image: 'a'.repeat(10_000) }))]));
  expect(images).toHaveLength(MOST_IMAGES - 1);
  expect(images?.[0]?.image).toHaveLength(LONGEST_IMAGE);
});
