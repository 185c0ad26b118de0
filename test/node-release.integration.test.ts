import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ensureRelease } from '../scripts/node/release.ts';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'serin-releases-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

const releases = () => join(cache, 'serin', 'releases');
const DESCRIPTION = JSON.stringify({ addresses: { images: '127.0.0.1:1', packages: '127.0.0.1:2' }, programs: {} });

/** Makes a release, as its program does, and counts. */
function maker() {
  const made: string[] = [];
  const make = async (folder: string) => {
    made.push(folder);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'release.json'), DESCRIPTION);
    writeFileSync(join(folder, 'cosign.pub'), 'key');
  };
  return { made, make };
}

it('the release of a commit is made once, and each run has a copy', async () => {
  const { made, make } = maker();
  for (const run of ['one', 'other']) {
    const { folder, addresses } = await ensureRelease(join(cache, run), () => undefined, make);
    expect(addresses).toEqual({ images: '127.0.0.1:1', packages: '127.0.0.1:2' });
    expect(existsSync(join(folder, 'cosign.pub'))).toBe(true);
    rmSync(folder, { recursive: true });
  }
  expect(made).toHaveLength(1);
});

it('a release that was cut off is made again', async () => {
  const { made, make } = maker();
  await ensureRelease(join(cache, 'one'), () => undefined, make);
  const [kept = ''] = made;
  rmSync(join(kept, 'release.json'));
  await ensureRelease(join(cache, 'other'), () => undefined, make);
  expect(made).toEqual([kept, kept]);
});

it('of the releases of other commits the cache keeps the one that was used last', async () => {
  const { made, make } = maker();
  await ensureRelease(join(cache, 'one'), () => undefined, make);
  const [kept = ''] = made;
  for (const [age, name] of ['newest', 'older', 'oldest'].entries()) {
    mkdirSync(join(releases(), name));
    utimesSync(join(releases(), name), 1_000_000 - age, 1_000_000 - age);
  }
  utimesSync(kept, 1, 1);
  await ensureRelease(join(cache, 'other'), () => undefined, make);
  const names = readdirSync(releases()).filter((name) => !name.startsWith('.'));
  expect(names.map((name) => join(releases(), name)).toSorted()).toEqual([kept, join(releases(), 'newest')].toSorted());
  const { mtimeMs } = statSync(kept);
  expect(mtimeMs, 'its use counts').toBeGreaterThan(1_000_000_000);
});
