import { afterAll, beforeAll } from 'vitest';
import type { NodeImages } from '../../scripts/node/images.ts';
import type { NodePrograms } from '../../scripts/node/programs.ts';
import { type RealNode, startNode } from './real-node.ts';

/** What `npm run test:node` has made before it entered the namespaces. */
interface Made {
  programs: NodePrograms;
  images: NodeImages;
  folder: string;
}

/** A node for the tests of a file, with the images that it names. */
export function givenNode(...images: readonly (keyof NodeImages)[]): () => RealNode {
  let node: RealNode | undefined;
  beforeAll(async () => {
    const { programs, images: archives, folder } = made();
    const address = process.env.SERIN_NODE_ADDRESS ?? '';
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    node = await startNode({ programs, pause: archives.pause, folder, address, say });
    for (const image of images) for (const archive of [archives[image]].flat()) await node.loadImage(archive);
  });
  afterAll(() => node?.stop());
  return () => {
    if (node === undefined) throw new Error('the node has not started');
    return node;
  };
}

function made(): Made {
  const text = process.env.SERIN_NODE;
  if (text === undefined) throw new Error('these tests run in namespaces of their own: npm run test:node');
  return JSON.parse(text) as Made;
}

/** The archive of an image, for what is read from it without a node. */
export const givenImage = (name: 'serin' | 'application'): string => made().images[name];
