import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { archive } from '../scripts/executable/archive.ts';
import { archiveFile, chosenPlatforms, licenceFiles, platformNames, platforms, programFile } from '../scripts/executable/platforms.ts';
import { krewManifest } from '../scripts/release/krew-manifest.ts';

const VERSION = '1.2.3';
const repository = 'https://git.example/owner/repository';
const sums = Object.fromEntries(platformNames.map((name, index) => [name, String(index).repeat(64)]));
const folder = mkdtempSync(join(tmpdir(), 'serin-krew-'));
/** Names, and modes as `ls -l` shows them. */
const inArchive: Record<string, Map<string, string>> = {};

beforeAll(() => {
  for (const name of platformNames) {
    const from = join(folder, name);
    mkdirSync(from);
    const program = programFile(platforms[name]);
    writeFileSync(join(from, program), `program for ${name}`, { mode: 0o755 });
    for (const file of licenceFiles) writeFileSync(join(from, file), `${file} `.repeat(1000), { mode: 0o644 });
    const file = join(folder, archiveFile(VERSION, name));
    archive(file, from, [program, ...licenceFiles]);
    inArchive[name] = file.endsWith('.zip') ? zipped(readFileSync(file)) : tarred(file);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function tarred(file: string): Map<string, string> {
  const lines = execFileSync('tar', ['-tvzf', file], { encoding: 'utf8' }).trim().split('\n');
  return new Map(lines.map((line) => [line.split(/\s+/).at(-1) ?? '', line.slice(0, 10)]));
}

/** Reads an archive like a program that knows nothing of the writer: from the end, by the directory. */
function zipped(bytes: Buffer): Map<string, string> {
  const end = bytes.length - 22;
  const found = new Map<string, string>();
  for (let at = bytes.readUInt32LE(end + 16), left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const name = bytes.toString('latin1', at + 46, at + 46 + bytes.readUInt16LE(at + 28));
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26);
    const text = inflateRawSync(bytes.subarray(start, start + bytes.readUInt32LE(at + 20)));
    expect(text).toEqual(readFileSync(join(folder, 'windows-amd64', name)));
    expect(bytes.readUInt32LE(at + 24)).toBe(text.length);
    found.set(name, (bytes.readUInt32LE(at + 38) >>> 16) & 0o100 ? '-rwx' : '-rw-');
    at += 46 + name.length;
  }
  return found;
}

describe('the manifest for krew', () => {
  const { apiVersion, kind, metadata, spec } = parse(krewManifest({ version: VERSION, repository, sums }));

  it('is one of its kind and version, named as its file and as the plugin', () => {
    expect({ apiVersion, kind, metadata }).toEqual({
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'serin' },
    });
  });

  it('has a version with a v, and a short description of at most 50 characters that krew shows in a table', () => {
    expect(spec.version).toBe('v1.2.3');
    expect(spec.shortDescription).toMatch(/^[A-Z].{1,49}$/);
    expect(spec.shortDescription).not.toMatch(/kubectl|\.$/);
    expect(spec.homepage).toBe(repository);
    expect(spec.description.split('\n').every((line: string) => line.length <= 90)).toBe(true);
  });

  it.each(platformNames)('%s is chosen by os and arch, with the address and sum of its archive', (name) => {
    const { os, arch } = platforms[name];
    const chosen = spec.platforms.filter(
      ({ selector }: { selector: object }) => JSON.stringify(selector) === JSON.stringify({ matchLabels: { os, arch } }),
    );
    expect(chosen).toHaveLength(1);
    expect(chosen[0]).toMatchObject({
      uri: `${repository}/releases/download/v1.2.3/${archiveFile(VERSION, name)}`,
      sha256: sums[name],
      bin: programFile(platforms[name]),
    });
    expect(chosen[0].uri).toMatch(/\.(zip|tar\.gz)$/);
  });

  it.each(platformNames)('all that it takes out of the archive for %s is there: the program, and the licences', (name) => {
    const { os, arch } = platforms[name];
    const { files, bin } = spec.platforms.find(({ selector }: { selector: { matchLabels: object } }) => {
      return JSON.stringify(selector.matchLabels) === JSON.stringify({ os, arch });
    });
    const there = inArchive[name] ?? new Map();
    expect(files.map(({ from }: { from: string }) => from)).toEqual([...there.keys()]);
    expect(files.every(({ to }: { to: string }) => to === '.')).toBe(true);
    expect(there.get(bin)).toMatch(/^-rwx/);
    expect([...there].filter(([file, mode]) => file !== bin && !mode.startsWith('-rw-'))).toEqual([]);
    expect([...there.keys()]).toContain('LICENSE');
  });

  it('a release without one of them is not made', () => {
    const { 'darwin-arm64': _, ...others } = sums;
    expect(() => krewManifest({ version: VERSION, repository, sums: others })).toThrow('archive for darwin-arm64 not found');
  });
});

describe('platforms of executables', () => {
  it('the platform of this machine is chosen, or the named platforms, and no other', () => {
    const own = platformNames.filter((name) => platforms[name].host === `${process.platform}-${process.arch}`);
    if (own.length > 0) expect(chosenPlatforms([])).toEqual(own);
    expect(chosenPlatforms(['windows-amd64', 'linux-arm64'])).toEqual(['windows-amd64', 'linux-arm64']);
    expect(() => chosenPlatforms(['solaris'])).toThrow('solaris is none of linux-amd64, ');
  });

  it('archives are as small as their contents compress', () => {
    expect(statSync(join(folder, archiveFile(VERSION, 'windows-amd64'))).size).toBeLessThan(5000);
  });
});
