/**
 * Container images for the tests of a real node, as archives that containerd imports. Without a registry, the bases that Serin's Dockerfile names are made of
 * Debian's packages and npm's Node, under the same names.
 */

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { withLock } from '../build-lock.ts';
import { ensureFlagger, ensureFlaggerChart, FLAGGER_VERSION } from '../e2e-flagger.ts';
import { ensureGoTool, type GoTool } from '../e2e-go-tool.ts';
import { cacheFolder, makeFolder } from '../e2e-tools.ts';
import { buildProgram } from '../go-build.ts';
import { ensureBases } from './bases.ts';
import { Buildah } from './buildah.ts';

type Say = (line: string) => void;

/** Archives of the requested images, by what a test needs of them. */
export type NodeImages = Partial<Record<NodeImage, readonly string[]>>;
export type NodeImage = keyof typeof imagesByName;

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = join(ROOT, 'test', 'node', 'images');
/** Changes when what is made of the same inputs does. */
const RECIPE = 1;
/** Archives of each image in the cache: as many checkouts as are worked in side by side. */
const KEPT = 3;

const PODINFO: GoTool = {
  name: 'podinfo',
  module: 'github.com/stefanprodan/podinfo',
  package: 'github.com/stefanprodan/podinfo/cmd/podinfo',
  purpose: 'the quick start releases podinfo',
};
const COREDNS: GoTool = {
  name: 'coredns',
  module: 'github.com/coredns/coredns',
  package: 'github.com/coredns/coredns',
  purpose: 'pods of a real node resolve the names of Services',
};
const METRICS_SERVER: GoTool = {
  name: 'metrics-server',
  module: 'sigs.k8s.io/metrics-server',
  package: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
  purpose: 'autoscalers of a real node read the use of its pods',
};

const imagesByName = {
  /** Sandbox of every pod. */
  pause: (images: Images) => images.ofOurs('pause'),
  /** `serin.test/application:1`: `test/node/images/application`. */
  application: (images: Images) => images.ofOurs('application', '65532:65532'),
  /** Image of the quick start, in versions 6.9.1 and 6.9.2. */
  podinfo: (images: Images) => images.podinfo(),
  /** Made by the current Dockerfile, under the name that the chart has. */
  serin: (images: Images) => images.serin(),
  /** Image of the pinned version, under the name that its chart has. */
  flagger: (images: Images) => images.flagger(),
  /** `serin.test/coredns:1`. */
  coredns: (images: Images) => images.ofTool(COREDNS),
  /** `serin.test/metrics-server:1`. */
  'metrics-server': (images: Images) => images.ofTool(METRICS_SERVER),
} as const satisfies Record<string, (images: Images) => Promise<string[]>>;

export const allNodeImages = Object.keys(imagesByName) as NodeImage[];
/** Images of the quick start, which `.ci/run` plays. */
export const sampledNodeImages: readonly NodeImage[] = ['pause', 'podinfo', 'serin'];

/** Links to them in `into`, if that is given, a folder of the cache: another checkout can make others, and remove these, before they are read. */
export async function ensureNodeImages(names: readonly NodeImage[], say: Say, into?: string): Promise<NodeImages> {
  const folder = cacheFolder('node-images');
  makeFolder(folder);
  return withLock(join(folder, '.lock'), say, async () => {
    const images = new Images(folder, into, say);
    const made: NodeImages = {};
    for (const name of names) made[name] = await imagesByName[name](images);
    return made;
  });
}

class Images {
  readonly #folder: string;
  readonly #buildah: Buildah;
  readonly #into: string | undefined;
  readonly #say: Say;

  constructor(folder: string, into: string | undefined, say: Say) {
    this.#folder = folder;
    this.#buildah = new Buildah(join(folder, 'store'));
    this.#into = into;
    this.#say = say;
  }

  /** An image of one static program of `test/node/images`. */
  async ofOurs(name: string, user = ''): Promise<string[]> {
    return this.#archive(name, digestOf(sourcesOf(name)), async (file) => {
      const work = mkdtempSync(join(tmpdir(), 'serin-image-'));
      try {
        await buildProgram(ofOurs(name), work, this.#say);
        await this.#buildah.ofProgram(`serin.test/${name}:1`, join(work, name), [], user, file);
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    });
  }

  /** An image of a Go program that is pinned in test/e2e/binaries. */
  async ofTool(tool: GoTool): Promise<string[]> {
    const program = await ensureGoTool(tool, this.#say);
    return this.#archive(tool.name, digestOf([program]), (file) =>
      this.#buildah.ofProgram(`serin.test/${tool.name}:1`, program, [], '', file),
    );
  }

  async podinfo(): Promise<string[]> {
    const program = await ensureGoTool(PODINFO, this.#say);
    const archives: string[] = [];
    for (const version of ['6.9.1', '6.9.2'])
      archives.push(
        ...(await this.#archive(`podinfo-${version}`, digestOf([program]), (file) =>
          this.#buildah.ofProgram(
            `ghcr.io/stefanprodan/podinfo:${version}`,
            program,
            [`--ui-message=version ${version}`],
            '65532:65532',
            file,
          ),
        )),
      );
    return archives;
  }

  /** Flagger's program, and a wget for the probes of its chart, as of a user who owns nothing. */
  async flagger(): Promise<string[]> {
    const program = await ensureFlagger(this.#say);
    // The tests install it, and can download nothing.
    await ensureFlaggerChart();
    return this.#archive(`flagger-${FLAGGER_VERSION}`, digestOf([program, ...sourcesOf('wget')]), async (file) => {
      const tag = `ghcr.io/fluxcd/flagger:${FLAGGER_VERSION}`;
      const tree = join(mkdtempSync(join(tmpdir(), 'serin-image-')), 'tree');
      mkdirSync(join(tree, 'bin'), { recursive: true });
      await buildProgram(ofOurs('wget'), join(tree, 'bin'), this.#say);
      copyFileSync(program, join(tree, 'flagger'));
      await this.#buildah.ofTree(tag, tree, ['--workingdir', '/', '--cmd', '', '--user', '65532:65532']);
      await this.#buildah.save(tag, file);
    });
  }

  /** Serin's own, by its current Dockerfile. */
  async serin(): Promise<string[]> {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const parts = [
      'Dockerfile',
      'package.json',
      'package-lock.json',
      '.npmrc',
      'tsconfig.json',
      'LICENSE',
      ...filesBelow('scripts'),
      ...filesBelow('src'),
    ];
    return this.#archive('serin', digestOf(parts.map((part) => join(ROOT, part))), async (file) => {
      await ensureBases(this.#buildah, this.#folder, this.#say);
      this.#say('building the image of Serin by its Dockerfile');
      const flags = ['--pull=never', '--network', 'host', '--isolation', 'chroot', '--layers=false'];
      await this.#buildah.run('bud', ...flags, '-t', `serin:${version}`, '-f', join(ROOT, 'Dockerfile'), ROOT);
      await this.#buildah.save(`localhost/serin:${version}`, file, `docker.io/library/serin:${version}`);
    });
  }

  /** The archive of these inputs; of earlier archives with other inputs, the newest are kept. */
  async #archive(name: string, inputs: string, make: (file: string) => Promise<unknown>): Promise<string[]> {
    const file = join(this.#folder, `${name}@${inputs}.tar`);
    if (!existsSync(file)) {
      this.#say(`making the image ${name}`);
      const making = join(this.#folder, `.${basename(file)}`);
      rmSync(making, { force: true });
      await make(making);
      renameSync(making, file);
      const ofName = readdirSync(this.#folder).filter((other) => other.startsWith(`${name}@`));
      const madeMs = (other: string): number => statSync(join(this.#folder, other)).mtimeMs;
      const old = ofName.toSorted((one, other) => madeMs(other) - madeMs(one)).slice(KEPT);
      for (const other of old) rmSync(join(this.#folder, other));
    }
    if (this.#into === undefined) return [file];
    const link = join(this.#into, basename(file));
    linkSync(file, link);
    return [link];
  }
}

/** A program of `test/node/images`. */
const ofOurs = (name: string) => ({
  name,
  package: `./${name}`,
  module: SOURCES,
  stamps: [],
  insteadSet: 'no other: it is a program of the tests',
});

const sourcesOf = (name: string): string[] => [
  join(SOURCES, 'go.mod'),
  ...filesBelow(relative(ROOT, join(SOURCES, name))).map((file) => join(ROOT, file)),
];

function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(String(RECIPE));
  for (const file of files) hash.update(`\0${relative(ROOT, file)}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

/** Paths from the root, in an order of their own. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .toSorted();
}
