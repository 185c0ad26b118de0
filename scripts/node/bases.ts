import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../build-lock.ts';
import { cacheFolder, makeFolder } from '../e2e-tools.ts';
import { Buildah, mustRun } from './buildah.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Begins the names of folders in which bases are made. */
const BUILDING = '.base-';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** Base images of a release, by the arguments of the Dockerfile. */
const BUILD_BASE = 'docker.io/library/node:24-bookworm-slim';
const RUNTIME_BASE = 'gcr.io/distroless/nodejs24-debian12:nonroot';

/** Makes replacements for the two bases of the Dockerfile if the store lacks them: of Debian's packages and npm's Node, under the names of the bases. */
export async function ensureBases(buildah: Buildah, folder: string, say: (line: string) => void): Promise<void> {
  // Of a run that was interrupted: the caller holds the lock of the folder.
  for (const name of readdirSync(folder)) if (name.startsWith(BUILDING)) rmSync(join(folder, name), { recursive: true });
  const known = await buildah.run('images', '--format', '{{.Name}}:{{.Tag}}');
  const isThere = (tag: string): boolean => known.split('\n').includes(tag);
  const node = join(ROOT, 'node_modules', 'node', 'bin', 'node');
  if (!isThere(RUNTIME_BASE)) {
    say("making the base of the image of Debian's packages and npm's Node");
    const tree = await distroless(folder, node);
    await buildah.ofTree(RUNTIME_BASE, tree, ['--user', '65532', '--workingdir', '/home/nonroot', '--entrypoint', '["/nodejs/bin/node"]']);
  }
  if (!isThere(BUILD_BASE)) {
    say('making the base that the image is built in, with debootstrap');
    await buildah.ofTree(BUILD_BASE, await slim(folder, node), ['--cmd', 'node', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`]);
  }
}

/** Pushes the replacements to a registry on loopback; returns their names by digest. */
export async function pushBases(registry: string, say: (line: string) => void): Promise<{ build: string; runtime: string }> {
  const folder = cacheFolder('node-images');
  makeFolder(folder);
  return withLock(join(folder, '.lock'), say, async () => {
    const buildah = new Buildah(join(folder, 'store'));
    await ensureBases(buildah, folder, say);
    const digestFile = join(mkdtempSync(join(tmpdir(), 'serin-base-')), 'digest');
    const pushed = async (base: string): Promise<string> => {
      const name = `${registry}/${base}`;
      await buildah.run('push', '-q', '--tls-verify=false', '--digestfile', digestFile, base, `docker://${name}`);
      return `${name}@${readFileSync(digestFile, 'utf8').trim()}`;
    };
    try {
      return { build: await pushed(BUILD_BASE), runtime: await pushed(RUNTIME_BASE) };
    } finally {
      rmSync(join(digestFile, '..'), { recursive: true, force: true });
    }
  });
}

/** Files of a few packages, without a package manager and a shell. */
async function distroless(folder: string, node: string): Promise<string> {
  const work = mkdtempSync(join(folder, BUILDING));
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
async function slim(folder: string, node: string): Promise<string> {
  const work = mkdtempSync(join(folder, BUILDING));
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
