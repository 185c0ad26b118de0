import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { nodeChecksum } from '../scripts/executable/node-checksum.ts';
import sums from '../scripts/executable/node-checksums.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'serin-supply-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Locked {
  version?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  devOptional?: boolean;
}
const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> };
const digest = `sha256:${'a'.repeat(64)}`;

interface Job {
  steps?: { uses?: string; run?: string; id?: string; with?: Record<string, unknown> }[];
}
const { jobs } = parse(textOf('.github', 'workflows', 'release.yml')) as { jobs: Record<string, Job> };

/** Exit code and what was written. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): { code: number; text: string } {
  try {
    return { code: 0, text: execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe', env }) };
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string };
    return { code: status, text: stderr };
  }
}

describe('packages', () => {
  it('are imported by name only where package.json has them', () => {
    const listed = new Set(Object.keys(manifest.devDependencies));
    const files = ['src', 'test', 'scripts'].flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).flatMap((file) =>
        file.endsWith('.ts') ? join(room, file) : [],
      ),
    );
    const strangers = files.flatMap((file) =>
      [...textOf(file).matchAll(/^(?:import|export)\b[^;'"`]*?from '([^'.][^']*)';$/gm)].flatMap(([, name = '']) => {
        const known = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
        return isBuiltin(name) || listed.has(known) || file.endsWith('.d.ts') ? [] : [`${file}: ${name}`];
      }),
    );
    expect(strangers).toEqual([]);
  });

  it('are locked with the version that package.json names, and those with install scripts are known', () => {
    expect(packages['']).toMatchObject({ devDependencies: manifest.devDependencies });
    const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []));
    expect(scripted.toSorted()).toEqual(
      Object.keys(manifest.allowScripts)
        .map((name) => `node_modules/${name}`)
        .toSorted(),
    );
  });
});

describe('the npm package', () => {
  it('has no dependencies, as its bundle has all code that runs', () => {
    const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies', 'bundledDependencies'];
    for (const listing of [manifest, packages['']]) expect(Object.keys(listing ?? {}).filter((key) => kinds.includes(key))).toEqual([]);
    const installed = Object.entries(packages).filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional);
    expect(installed.map(([path]) => path)).toEqual([]);
  });
});

describe('the Node that builds a release', () => {
  it('comes from no install script: the lock file has no digest of what such a script fetches', () => {
    const installs = [textOf('Dockerfile'), textOf('.github', 'workflows', 'release.yml')].flatMap(
      (text) => text.match(/npm (?:ci|install|i)\b.*/g) ?? [],
    );
    expect(installs.length).toBeGreaterThanOrEqual(3);
    expect(new Set(installs)).toEqual(new Set(['npm ci --ignore-scripts']));
  });

  it('is held against a checksum before it does anything, and is of the version that the lock file names', () => {
    expect(packages['node_modules/node']?.version).toBe(sums.version);
    const ours = Object.values(jobs).filter(({ steps = [] }) => steps.some(({ run: command }) => command?.startsWith('npm ')));
    expect(ours.length).toBe(2);
    for (const { steps = [] } of ours) {
      const set = steps.findIndex(({ uses }) => uses?.startsWith('actions/setup-node@'));
      expect(steps[set]?.with?.['node-version']).toBe(sums.version);
      expect(steps[set + 1]?.run).toBe('.ci/verify-node');
      expect(steps.slice(0, set).filter(({ run: command }) => command !== undefined)).toEqual([]);
    }
  });

  it('is refused when it is another one', () => {
    const other = join(folder, 'node');
    writeFileSync(other, '#!/bin/sh\n');
    chmodSync(other, 0o755);
    expect(run(join(root, '.ci', 'verify-node'), [], { ...process.env, PATH: `${folder}:${process.env.PATH}` })).toMatchObject({ code: 1 });
  });

  it('is put into an executable only with its checksum', () => {
    expect(() => nodeChecksum('linux-amd64', '24.0.0')).toThrow(`executables are made with Node ${sums.version}`);
    expect(() => nodeChecksum('darwin-arm64', sums.version)).toThrow('no checksum of Node');
    expect(nodeChecksum('linux-amd64', sums.version)).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('Renovate', () => {
  const { customManagers } = JSON.parse(textOf('.github', 'renovate.json')) as {
    customManagers: { managerFilePatterns: string[]; matchStrings: string[] }[];
  };
  const found = (file: string): Record<string, string>[] =>
    customManagers
      .filter(({ managerFilePatterns }) => managerFilePatterns.some((pattern) => new RegExp(pattern.slice(1, -1)).test(file)))
      .flatMap(({ matchStrings }) => matchStrings.flatMap((one) => [...textOf(...file.split('/')).matchAll(new RegExp(one, 'g'))]))
      .map(({ groups }) => ({ ...groups }));

  it('finds each base image of a release', () => {
    const images = found('.ci/base-images.txt').map(({ depName, currentValue }) => `${depName}:${currentValue}`);
    expect(images).toEqual(textOf('.ci', 'base-images.txt').match(/[^ \n@]+:[^ \n@]+/g));
  });

  it('finds the newest Node that the package is tried on, and leaves the others', () => {
    const last = textOf('.ci', 'node-versions.txt').trim().split('\n').at(-1);
    expect(found('.ci/node-versions.txt')).toEqual([{ currentValue: last }]);
  });
});

describe('base images of a release', () => {
  const images = (text: string) => {
    const file = join(folder, 'images.txt');
    writeFileSync(file, text);
    return run(join(root, '.ci', 'base-images'), [file]);
  };

  it('have a digest, or nothing is released', () => {
    expect(images(`BUILD_IMAGE a/b:1@${digest}\nRUNTIME_IMAGE c@${digest}\n`)).toEqual({
      code: 0,
      text: `build_image=a/b:1@${digest}\nruntime_image=c@${digest}\n`,
    });
    for (const wrong of ['a/b:1', 'a/b@sha256:abc', `@${digest}`, `a/b@${digest}0`]) expect(images(`BUILD_IMAGE ${wrong}\n`).code).toBe(1);
  });

  it('are those of the Dockerfile, and no other images are looked up at the moment of the release', () => {
    const named = textOf('.ci', 'base-images.txt')
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const defaults = [...textOf('Dockerfile').matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm)].map(([, name, image]) => [name, image]);
    expect(named.map(([name, image]) => [name, image?.split('@')[0]])).toEqual(defaults);
    expect(textOf('scripts', 'release', 'settings.ts')).toContain("'base-images'");
    expect(JSON.stringify(jobs)).not.toContain('imagetools');
  });
});
