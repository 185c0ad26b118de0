/**
 * Container images for the tests of a real node, as archives that containerd imports. Without a registry, what the Dockerfile of Serin names as its bases is
 * made of Debian's packages and npm's Node, under the same names.
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
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { withLock } from '../build-lock.ts';
import { ensureGoTool, type GoTool } from '../e2e-go-tool.ts';
import { cacheFolder, MissingToolError, makeFolder, run } from '../e2e-tools.ts';
import { buildProgram } from '../go-build.ts';

type Say = (line: string) => void;

/** Archives, by what a test needs of them; those that were asked for. */
export type NodeImages = Partial<Record<NodeImage, readonly string[]>>;
export type NodeImage = keyof typeof imagesByName;

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = join(ROOT, 'test', 'node', 'images');
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** What the image of a release is built on, by the arguments of the Dockerfile. */
const BUILD_BASE = 'docker.io/library/node:24-bookworm-slim';
const RUNTIME_BASE = 'gcr.io/distroless/nodejs24-debian12:nonroot';
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
  /** Of the quick start, in versions 6.9.1 and 6.9.2. */
  podinfo: (images: Images) => images.podinfo(),
  /** Made by the Dockerfile as it stands, under the name that the chart has. */
  serin: (images: Images) => images.serin(),
  /** `serin.test/coredns:1`. */
  coredns: (images: Images) => images.ofTool(COREDNS),
  /** `serin.test/metrics-server:1`. */
  'metrics-server': (images: Images) => images.ofTool(METRICS_SERVER),
} as const satisfies Record<string, (images: Images) => Promise<string[]>>;

export const allNodeImages = Object.keys(imagesByName) as NodeImage[];
/** Of the quick start, which `.ci/run` plays. */
export const sampledNodeImages: readonly NodeImage[] = ['pause', 'podinfo', 'serin'];

/** Links to them in `into`, if that is given, a folder of the cache: another checkout may make others, and remove these, before they are read. */
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

/** The stand-ins for the bases of the Dockerfile, pushed to a registry on loopback; their names by digest. */
export async function pushBases(registry: string, say: Say): Promise<{ build: string; runtime: string }> {
  const folder = cacheFolder('node-images');
  makeFolder(folder);
  return withLock(join(folder, '.lock'), say, () => new Images(folder, undefined, say).pushBases(registry));
}

class Images {
  readonly #folder: string;
  readonly #into: string | undefined;
  readonly #say: Say;

  constructor(folder: string, into: string | undefined, say: Say) {
    this.#folder = folder;
    this.#into = into;
    this.#say = say;
  }

  /** An image of one static program of `test/node/images`. */
  async ofOurs(name: string, user = ''): Promise<string[]> {
    const sources = [
      join(SOURCES, 'go.mod'),
      ...readdirSync(join(SOURCES, name))
        .toSorted()
        .map((file) => join(SOURCES, name, file)),
    ];
    return this.#archive(name, digestOf(sources), async (file) => {
      const work = mkdtempSync(join(tmpdir(), 'serin-image-'));
      try {
        const program = { name, package: `./${name}`, module: SOURCES, stamps: [], insteadSet: 'no other: it is a program of the tests' };
        await buildProgram(program, work, this.#say);
        await this.#ofProgram(`serin.test/${name}:1`, join(work, name), [], user, file);
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    });
  }

  /** An image of a Go program that is pinned in test/e2e/binaries. */
  async ofTool(tool: GoTool): Promise<string[]> {
    const program = await ensureGoTool(tool, this.#say);
    return this.#archive(tool.name, digestOf([program]), (file) => this.#ofProgram(`serin.test/${tool.name}:1`, program, [], '', file));
  }

  async podinfo(): Promise<string[]> {
    const program = await ensureGoTool(PODINFO, this.#say);
    const archives: string[] = [];
    for (const version of ['6.9.1', '6.9.2'])
      archives.push(
        ...(await this.#archive(`podinfo-${version}`, digestOf([program]), (file) =>
          this.#ofProgram(`ghcr.io/stefanprodan/podinfo:${version}`, program, [`--ui-message=version ${version}`], '65532:65532', file),
        )),
      );
    return archives;
  }

  /** Serin's own, by its Dockerfile as it stands. */
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
      await this.#bases();
      this.#say('building the image of Serin by its Dockerfile');
      const flags = ['--pull=never', '--network', 'host', '--isolation', 'chroot', '--layers=false'];
      await this.#buildah('bud', ...flags, '-t', `serin:${version}`, '-f', join(ROOT, 'Dockerfile'), ROOT);
      await this.#save(`localhost/serin:${version}`, file, `docker.io/library/serin:${version}`);
    });
  }

  async pushBases(registry: string): Promise<{ build: string; runtime: string }> {
    await this.#bases();
    const digestFile = join(mkdtempSync(join(tmpdir(), 'serin-base-')), 'digest');
    const pushed = async (base: string): Promise<string> => {
      const name = `${registry}/${base}`;
      await this.#buildah('push', '-q', '--tls-verify=false', '--digestfile', digestFile, base, `docker://${name}`);
      return `${name}@${readFileSync(digestFile, 'utf8').trim()}`;
    };
    try {
      return { build: await pushed(BUILD_BASE), runtime: await pushed(RUNTIME_BASE) };
    } finally {
      rmSync(join(digestFile, '..'), { recursive: true, force: true });
    }
  }

  /** Stand-ins for the two bases of the Dockerfile. */
  async #bases(): Promise<void> {
    const known = await this.#buildah('images', '--format', '{{.Name}}:{{.Tag}}');
    const isThere = (tag: string): boolean => known.split('\n').includes(tag);
    const node = join(ROOT, 'node_modules', 'node', 'bin', 'node');
    if (!isThere(RUNTIME_BASE)) {
      this.#say("making the base of the image of Debian's packages and npm's Node");
      const tree = await this.#distroless(node);
      await this.#ofTree(RUNTIME_BASE, tree, ['--user', '65532', '--workingdir', '/home/nonroot', '--entrypoint', '["/nodejs/bin/node"]']);
    }
    if (!isThere(BUILD_BASE)) {
      this.#say('making the base that the image is built in, with debootstrap');
      await this.#ofTree(BUILD_BASE, await this.#slim(node), ['--cmd', 'node', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`]);
    }
  }

  /** Files of a few packages, without a package manager and a shell. */
  async #distroless(node: string): Promise<string> {
    const work = mkdtempSync(join(this.#folder, '.base-'));
    const tree = join(work, 'tree');
    const packages = ['libc6', 'libgcc-s1', 'libstdc++6', 'gcc-12-base', 'ca-certificates', 'tzdata', 'base-files', 'netbase'];
    await mustRun('apt-get', ['download', '-o', 'APT::Sandbox::User=root', ...packages], work);
    for (const archive of readdirSync(work).filter((name) => name.endsWith('.deb'))) await mustRun('dpkg-deb', ['-x', archive, tree], work);
    for (const each of ['nodejs/bin', 'etc/ssl/certs', 'tmp', 'home/nonroot']) mkdirSync(join(tree, each), { recursive: true });
    await mustRun('chmod', ['1777', join(tree, 'tmp')], work);
    await mustRun('chown', ['65532:65532', join(tree, 'home', 'nonroot')], work);
    copyFileSync(node, join(tree, 'nodejs', 'bin', 'node'));
    copyFileSync(CERTIFICATES, join(tree, CERTIFICATES));
    writeFileSync(
      join(tree, 'etc', 'passwd'),
      'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
    );
    writeFileSync(join(tree, 'etc', 'group'), 'root:x:0:\nnonroot:x:65532:\n');
    return tree;
  }

  /** Debian's smallest, with Node and npm in /usr/local. */
  async #slim(node: string): Promise<string> {
    const work = mkdtempSync(join(this.#folder, '.base-'));
    const tree = join(work, 'tree');
    await mustRun('debootstrap', ['--variant=minbase', '--include=ca-certificates,libstdc++6', 'bookworm', tree], work);
    const npm = join(tree, 'usr', 'local', 'lib', 'node_modules', 'npm');
    await mustRun('npm', ['pack', '--silent', '--pack-destination', work, 'npm@11'], work);
    const packed = readdirSync(work).find((name) => name.endsWith('.tgz')) ?? '';
    mkdirSync(npm, { recursive: true });
    await mustRun('tar', ['-xzf', join(work, packed), '--strip-components=1', '-C', npm], work);
    copyFileSync(node, join(tree, 'usr', 'local', 'bin', 'node'));
    for (const name of ['npm', 'npx'])
      await mustRun('ln', ['-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(tree, 'usr', 'local', 'bin', name)], work);
    copyFileSync(CERTIFICATES, join(tree, CERTIFICATES));
    return tree;
  }

  async #ofTree(tag: string, tree: string, config: readonly string[]): Promise<void> {
    await this.#commit(tag, tree, '/', config);
    rmSync(join(tree, '..'), { recursive: true, force: true });
  }

  async #ofProgram(tag: string, program: string, args: readonly string[], user: string, file: string): Promise<void> {
    await this.#commit(tag, program, '/program', ['--entrypoint', JSON.stringify(['/program', ...args]), '--cmd', '', '--user', user]);
    await this.#save(tag, file);
  }

  async #commit(tag: string, from: string, to: string, config: readonly string[]): Promise<void> {
    const container = (await this.#buildah('from', 'scratch')).trim();
    await this.#buildah('add', '-q', container, from, to);
    await this.#buildah('config', ...config, container);
    await this.#buildah('commit', '-q', container, tag);
    await this.#buildah('rm', container);
  }

  /** Into an archive alone: the store keeps the bases, and of no build what the next one replaces. */
  async #save(tag: string, file: string, name = tag): Promise<void> {
    await this.#buildah('push', '-q', tag, `docker-archive:${file}:${name}`);
    await this.#buildah('rmi', tag);
    await this.#buildah('rmi', '--prune');
  }

  #buildah(...words: string[]): Promise<string> {
    const store = join(this.#folder, 'store');
    const where = ['--root', join(store, 'root'), '--runroot', join(store, 'run'), '--storage-driver', 'overlay'];
    return mustRun('buildah', [...where, ...words], ROOT);
  }

  /** The archive of these inputs; of those of others before it, the newest are kept. */
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

/** Standard output and error; throws what it said where it failed. */
async function mustRun(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new MissingToolError(`${command} ${args.slice(0, 3).join(' ')} … failed (code ${code}):\n${output.slice(-4000)}`);
  return output;
}
