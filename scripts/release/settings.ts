import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { root } from './run.ts';

/** Where a release goes, and how it is signed: from the environment, so that the forge and a rehearsal say it in the same way. */
export interface ReleaseSettings {
  version: string;
  /** `v1.2.3` */
  tag: string;
  /** The commit, 40 hexadecimal digits. */
  commit: string;
  /** Files of the release. */
  folder: string;
  /** Without tag: `ghcr.io/owner/serin`. */
  imageRepository: string;
  /** Without the name of a chart: `ghcr.io/owner/charts`. */
  chartRepository: string;
  /** Platforms like `linux/amd64`. */
  platforms: readonly string[];
  /** Bases of the image, by digest. */
  bases: { build: string; runtime: string };
  /** Address of the files, `https://github.com/owner/serin`; `undefined` if they are nowhere, so that no manifest for krew can be made. */
  repositoryUrl: string | undefined;
  /** File of a private key of cosign; `undefined` if the forge's identity signs, without a key. */
  signingKey: string | undefined;
  /** The registry of the npm package; `undefined` if it is published nowhere, and is only a file. */
  packageRegistry: string | undefined;
  /** Registries on loopback speak HTTP. */
  isPlainHttp: boolean;
  /** Builder of the release: the address of the forge's run. */
  builder: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `bases`: of `.ci/base-images.txt`, unless others are given. */
export function releaseSettings(env: Environment, bases: () => ReleaseSettings['bases'] = basesByDigest): ReleaseSettings {
  const must = (name: string, example: string): string => {
    const value = env[name];
    if (!value) throw new Error(`${name} is not set: give it, for example ${name}=${example}`);
    return value;
  };
  const commit = must('RELEASE_COMMIT', '"$(git rev-parse HEAD)"');
  if (!/^[0-9a-f]{40}$/.test(commit)) throw new Error(`RELEASE_COMMIT is ${commit}, which is not a commit: it has 40 hexadecimal digits`);
  const folder = resolve(must('RELEASE_FOLDER', 'release/files'));
  return {
    version: manifest.version,
    tag: must('RELEASE_TAG', `v${manifest.version}`),
    commit,
    folder,
    imageRepository: must('IMAGE_REPOSITORY', 'ghcr.io/owner/serin'),
    chartRepository: must('CHART_REPOSITORY', 'ghcr.io/owner/charts'),
    platforms: must('PLATFORMS', 'linux/amd64,linux/arm64').split(','),
    builder: must('RELEASE_BUILDER', 'https://github.com/owner/serin/actions/runs/1'),
    bases: bases(),
    repositoryUrl: env.REPOSITORY_URL || undefined,
    signingKey: env.COSIGN_KEY || undefined,
    packageRegistry: packageRegistry(env.PACKAGE_REGISTRY),
    isPlainHttp: env.PLAIN_HTTP === 'true',
  };
}

/** Refuses an invalid address: npm would take its own registry instead. */
function packageRegistry(address: string | undefined): string | undefined {
  if (!address) return undefined;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Error(`PACKAGE_REGISTRY is ${address}, which is not the address of a registry: give one like https://registry.example.com/`);
  return address;
}

/** The script refuses those without a digest. */
function basesByDigest(): ReleaseSettings['bases'] {
  const said = execFileSync(join(root, '.ci', 'base-images'), { encoding: 'utf8' });
  const named = (name: string): string => new RegExp(`^${name}=(.+)$`, 'm').exec(said)?.[1] ?? '';
  return { build: named('build_image'), runtime: named('runtime_image') };
}

/** A file that one step leaves for the next ones, and that is not released. */
export function besideFiles({ folder }: Pick<ReleaseSettings, 'folder'>, name: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, '..', name);
}

export interface PushedImage {
  repository: string;
  /** Digest of the index of all platforms, `sha256:…`. */
  digest: string;
}

export const pushedImage = (settings: Pick<ReleaseSettings, 'folder'>): PushedImage =>
  JSON.parse(readFileSync(besideFiles(settings, 'image.json'), 'utf8')) as PushedImage;

/** References by digest. */
export const pushedCharts = (settings: Pick<ReleaseSettings, 'folder'>): readonly string[] =>
  JSON.parse(readFileSync(besideFiles(settings, 'charts.json'), 'utf8')) as readonly string[];
