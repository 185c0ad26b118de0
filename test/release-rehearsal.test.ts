import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences, readRecorded } from '../scripts/release/rehearsal/recorded.ts';
import { refusalOf } from '../scripts/release/rehearsal/tampering.ts';
import { tamperings } from '../scripts/release/rehearsal/tamperings.ts';
import { Transcript } from '../scripts/release/rehearsal/transcript.ts';
import { comparedBuilds } from '../scripts/release/rehearsal/twice.ts';
import { documentedVerifications } from '../scripts/release/rehearsal/verification.ts';
import { steps } from '../scripts/release/steps.ts';

const registries = { images: '127.0.0.1:1', imageFolder: '/none', packages: '127.0.0.1:2', packageFolder: '/none' };
const folder = mkdtempSync(join(tmpdir(), 'serin-tampering-'));
writeFileSync(join(folder, 'serin-1.2.3-linux-amd64.tar.gz'), '');
const all = tamperings({ registries, folder, key: 'cosign.pub', otherKey: 'other.pub' });
rmSync(folder, { recursive: true });
const recorded = readRecorded();

describe('the rehearsal in docs/release-rehearsal.md', () => {
  it('has each step of a release, in its order, and was whole', () => {
    const begun = recorded.transcript.flatMap((line) => /^==> (\w+): /.exec(line)?.[1] ?? []);
    expect(begun).toEqual(steps.map(({ name }) => name));
    expect(recorded.transcript.at(-1)).toMatch(/^whole after \d+ s$/);
  });

  it('has the words of refusal of each tampering, and no path or port of the machine', () => {
    expect(recorded.refusals.map(({ what, verification }) => ({ what, verification }))).toEqual(
      all.map(({ what, verification }) => ({ what, verification })),
    );
    expect(recorded.refusals.filter(({ words }) => words.length === 0)).toEqual([]);
    expect(JSON.stringify(recorded)).not.toMatch(/127\.0\.0\.1:\d|(?<!\/rehearsal)\/tmp\/|\/root\/|\/home\/|sha256:[0-9a-f]/);
  });

  it('tampers with image, chart, package, executable and bill of materials', () => {
    for (const part of ['image', 'chart', 'package', 'executable', 'bill of materials'])
      expect(all.filter(({ what }) => what.includes(part)).length, part).toBeGreaterThan(0);
  });
});

it('docs/releasing.md has a verification for each tampering, and each of its verifications is tried by one', () => {
  expect(new Set(documentedVerifications().keys())).toEqual(new Set(all.map(({ verification }) => verification)));
});

describe('a tampering', () => {
  /** The verification passes while this is `as released`. */
  const played = (isNoticed: boolean, undoes = true) => {
    let state = 'as released';
    const change = async () => {
      state = 'changed';
      return async () => {
        if (undoes) state = 'as released';
      };
    };
    const look = () =>
      state === 'changed' && isNoticed
        ? { code: 1, said: 'first failure\nfine: OK\nsecond failure\nlast error\nlast error\n' }
        : { code: 0, said: '' };
    return refusalOf({ what: 'a part', verification: 'files', change }, look);
  };

  it('is refused with the first words of the verification that say so', async () => {
    expect(await played(true)).toEqual({ what: 'a part', verification: 'files', words: ['first failure', 'second failure'] });
  });

  it('that is not noticed ends the rehearsal, and so does a verification that refuses what was not changed', async () => {
    await expect(played(false)).rejects.toThrow('a part: the verification "files" does not notice it');
    await expect(played(true, false)).rejects.toThrow('a part: the verification "files" fails after anything is changed');
    const change = () => Promise.reject(new Error('not reached'));
    const failing = refusalOf({ what: 'a part', verification: 'files', change }, () => ({ code: 1, said: 'no' }));
    await expect(failing).rejects.toThrow('fails before anything is changed:\nno');
  });

  it('that is refused by other words than the docs have, or is not in them, or not played any more, is named', () => {
    const refusal = (what: string, word: string) => ({ what, verification: 'files', words: [word] });
    const twice = { same: ['one'], different: ['other'] };
    const before = { refusals: [refusal('a', 'x'), refusal('old', 'w')], twice };
    expect(differences(before, before)).toEqual([]);
    const found = differences({ refusals: [refusal('a', 'y'), refusal('new', 'z')], twice }, before);
    expect(found.map((line) => line.split(':')[0])).toEqual(['a', 'old', 'new']);
    expect(differences({ ...before, twice: { same: [], different: ['one', 'other'] } }, before)).toEqual([
      'one differs where it is built twice, and the docs do not say so',
    ]);
  });
});

it('two builds are compared by their bytes, the image by its digest', () => {
  const folders = ['one', 'other'].map((name) => join(mkdtempSync(join(tmpdir(), `serin-${name}-`)), 'files'));
  for (const [index, each] of folders.entries()) {
    mkdirSync(each);
    writeFileSync(join(each, 'same'), 'x');
    writeFileSync(join(each, 'changed'), String(index));
    writeFileSync(join(each, '..', 'image.json'), '{}');
  }
  const [one = '', other = ''] = folders;
  writeFileSync(join(other, 'only'), 'x');
  expect(comparedBuilds(one, other)).toEqual({ same: ['same', 'the image'], different: ['changed', 'only'] });
  for (const each of folders) rmSync(join(each, '..'), { recursive: true });
});

it('a transcript contains neither digests nor values of only this run', () => {
  const transcript = new Transcript();
  transcript.name([['127.0.0.1:4711', 'registry.example']]);
  const digest = 'a'.repeat(64);
  expect(transcript.plain(`127.0.0.1:4711/serin@sha256:${digest} of ${'b'.repeat(40)}`)).toBe('registry.example/serin@sha256:… of COMMIT');
  // buildah numbers the files of the layers that it reads side by side.
  const ofLayer = (number: number) => transcript.plain(`storing blob to file "/tmp/storage123/${number}": Digest did not match`);
  expect(ofLayer(1)).toBe('storing blob to file "/tmp/storage…/…": Digest did not match');
  expect(ofLayer(2)).toBe(ofLayer(1));
});
