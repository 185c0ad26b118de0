import { beforeAll, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { givenImage } from './given-node.ts';
import { type ImageFile, type ImageLook, lookAtImage } from './image-files.ts';

const USER = 65_532;
const HOME = 'home/nonroot';
const MIB = 1024 * 1024;
let image: ImageLook;
let files: readonly ImageFile[];

beforeAll(() => {
  image = lookAtImage(givenImage('serin'));
  files = image.layers.flat();
});

it('the image runs as a user by number to whom nothing in it belongs but an empty home, so that the program cannot be replaced', () => {
  expect(image.config.User).toBe(`${USER}:${USER}`);
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['serin', 'serin/dist/serin.js', 'serin/LICENSE']));
  const own = files.filter(({ owner, group }) => owner === USER || group === USER);
  expect(own.filter(({ path }) => path !== HOME)).toEqual([]);
  // A folder where each may remove only what is his own: /tmp.
  const isWritable = ({ mode }: ImageFile) => !mode.startsWith('l') && mode[8] === 'w' && mode[9]?.toLowerCase() !== 't';
  expect(files.filter(isWritable)).toEqual([]);
});

it('the image has no shell, no package manager, no set-uid program and no source of Serin', () => {
  const programs = files.filter(({ mode }) => mode.startsWith('-') && mode[3] !== '-').map(({ path }) => path);
  expect(programs).toContain('nodejs/bin/node');
  const name = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  expect(
    programs.filter((path) => /^(?:ba|da|a|z|k|c)?sh$|^busybox|^(?:apt|dpkg|npm|npx|yarn|corepack|perl|python)/.test(name(path))),
  ).toEqual([]);
  expect(files.filter(({ mode }) => /s/i.test(mode.slice(1)) && mode[3]?.toLowerCase() === 's').map(({ path }) => path)).toEqual([]);
  expect(files.filter(({ path }) => /^serin\/(?:.*\/)?(?:src|test|node_modules)(?:\/|$)|\.ts$/.test(path)).map(({ path }) => path)).toEqual(
    [],
  );
});

it('Serin adds only the bundle and its licence to its base, below 16 MiB', () => {
  const ours = image.layers.filter((layer) => layer.some(({ path }) => path === 'serin' || path.startsWith('serin/')));
  const sizeOf = (layer: readonly ImageFile[]) => layer.reduce((sum, { size }) => sum + size, 0);
  console.log(
    `image: ${image.layers.length} layers, ${Math.round(files.reduce((sum, { size }) => sum + size, 0) / MIB)} MiB; Serin's: ${ours.length} layers, ${(ours.reduce((sum, l) => sum + sizeOf(l), 0) / MIB).toFixed(1)} MiB`,
  );
  const paths = ours
    .flat()
    .filter(({ mode }) => mode.startsWith('-'))
    .map(({ path }) => path);
  expect(paths.filter((path) => !/^serin\/(?:LICENSE|dist\/(?:chunks\/)?[^/]+)$/.test(path))).toEqual([]);
  expect(ours.reduce((sum, layer) => sum + sizeOf(layer), 0)).toBeLessThan(16 * MIB);
  expect(image.config.Labels).toMatchObject({
    'org.opencontainers.image.version': manifest.version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  });
  expect(image.config.Cmd).toEqual(['controller']);
});
