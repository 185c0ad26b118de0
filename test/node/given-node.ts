import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { NodeImage, NodeImages } from '../../scripts/node/images.ts';
import type { NodePrograms } from '../../scripts/node/programs.ts';
import type { KeptRelease } from '../../scripts/node/release.ts';
import { type RealNode, startNode } from './real-node.ts';
import type { SecondNode } from './second-node.ts';

/** Files that `npm run test:node` has created before it entered the namespaces. */
interface Made {
  programs: NodePrograms;
  images: NodeImages;
  folder: string;
  /** Only for tests of a release. */
  release?: KeptRelease;
}

/** Names of their images, manifests and Deployments. */
const ADDONS = ['coredns', 'metrics-server'] as const;

/** A node for the tests of a file, with the images that it names. */
export function givenNode(...images: readonly NodeImage[]): () => RealNode {
  let node: RealNode | undefined;
  beforeAll(async () => {
    const { programs, folder } = made();
    const address = process.env.SERIN_NODE_ADDRESS ?? '';
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    node = await startNode({ programs, pause: archivesOf('pause')[0] ?? '', folder, address, say });
    for (const archive of images.flatMap(archivesOf)) await node.loadImage(archive);
  });
  afterAll(() => node?.stop());
  return () => {
    if (node === undefined) throw new Error('the node has not started');
    return node;
  };
}

/** Two nodes for the tests of a file, with CoreDNS and metrics-server, and the images that it names. */
export function givenTwoNodes(...images: readonly NodeImage[]): () => { node: RealNode; second: SecondNode } {
  const all = [...images, ...ADDONS];
  const first = givenNode(...all);
  let second: SecondNode | undefined;
  beforeAll(async () => {
    second = await first().addNode();
    for (const archive of all.flatMap(archivesOf)) await second.loadImage(archive);
    for (const addon of ADDONS) await first().kubectl('apply', '-f', join(import.meta.dirname, 'addons', `${addon}.yaml`));
    for (const addon of ADDONS) await first().kubectl('rollout', 'status', `deployment/${addon}`, '-n', 'kube-system', '--timeout=120s');
    await first().kubectl('wait', 'apiservice/v1beta1.metrics.k8s.io', '--for=condition=Available', '--timeout=120s');
  });
  return () => {
    if (second === undefined) throw new Error('the second node has not started');
    return { node: first(), second };
  };
}

function archivesOf(image: NodeImage): readonly string[] {
  const archives = made().images[image];
  if (archives === undefined) throw new Error(`the image ${image} was not made: the sample has only those of the quick start`);
  return archives;
}

function made(): Made {
  const text = process.env.SERIN_NODE;
  if (text === undefined) throw new Error('these tests run in namespaces of their own: npm run test:node');
  return JSON.parse(text) as Made;
}

/** The archive of an image, for what is read from it without a node. */
export function givenImage(image: NodeImage): string {
  const [archive] = archivesOf(image);
  if (archive === undefined) throw new Error(`the image ${image} has no archive`);
  return archive;
}

/** A release of the current commit, and the folder of the run. */
export function givenRelease(): KeptRelease & { work: string } {
  const { release, folder } = made();
  if (release === undefined) throw new Error('no release was made: npm run test:node -- released');
  return { ...release, work: folder };
}
