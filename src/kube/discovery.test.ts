import { expect, it } from 'vitest';
import { createDiscovery } from './discovery.ts';
import { ApiError } from './errors.ts';

/** A discovery whose reads end when the test lets them. */
function discovered() {
  const reads: { path: string; answer(answer: unknown): void; end(kinds: readonly string[]): void; fail(error: Error): void }[] = [];
  const discovery = createDiscovery((path) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const end = (kinds: readonly string[]) =>
      resolve({ resources: kinds.map((kind) => ({ name: `${kind.toLowerCase()}s`, kind, namespaced: true })) });
    reads.push({ path, answer: resolve, end, fail: reject });
    return promise;
  });
  return { discovery, reads };
}

/** A discovery that answers at once, by what the API server serves now. */
function answered(served: Set<string>, listing: 'served' | 'forbidden' = 'served') {
  const paths: string[] = [];
  const discovery = createDiscovery(async (path) => {
    paths.push(path);
    if (path === '/apis') {
      if (listing === 'forbidden') throw new ApiError('it may not be read', { status: 403, reason: 'Forbidden' });
      return { groups: [{ name: 'any', versions: [...served].map((groupVersion) => ({ groupVersion })) }] };
    }
    return served.has(path.slice('/apis/'.length)) ? { resources: [{ name: 'shops', kind: 'Shop', namespaced: true }] } : undefined;
  });
  return { discovery, paths };
}

it('reads a group version once for all concurrent look-ups of its kinds, served or not', async () => {
  const { discovery, reads } = discovered();
  const found = Promise.all(['Job', 'CronJob', 'Job'].map((kind) => discovery.find('batch/v1', kind)));
  expect(reads.map(({ path }) => path)).toEqual(['/apis/batch/v1']);
  reads[0]?.end(['Job']);
  expect((await found).map((resource) => resource?.plural)).toEqual(['jobs', undefined, 'jobs']);
  const later = discovery.find('batch/v1', 'CronJob');
  expect(reads).toHaveLength(2);
  reads[1]?.end(['Job', 'CronJob']);
  expect(await later).toMatchObject({ plural: 'cronjobs' });
});

it('reads again after a failure, and the failure is of all who waited for it', async () => {
  const { discovery, reads } = discovered();
  const asked = Promise.allSettled([discovery.find('batch/v1', 'Job'), discovery.find('batch/v1', 'CronJob')]);
  reads[0]?.fail(new Error('refused'));
  expect(await asked).toEqual([
    { status: 'rejected', reason: new Error('refused') },
    { status: 'rejected', reason: new Error('refused') },
  ]);
  const again = discovery.find('batch/v1', 'Job');
  reads[1]?.end(['Job']);
  expect(await again).toMatchObject({ plural: 'jobs' });
});

it('ends for a caller that gives up, and continues for the others', async () => {
  const { discovery, reads } = discovered();
  const control = new AbortController();
  const givenUp = discovery.find('batch/v1', 'Job', control.signal);
  const other = discovery.find('batch/v1', 'Job');
  control.abort(new Error('stopped'));
  await expect(givenUp).rejects.toThrow('stopped');
  await expect(discovery.find('batch/v1', 'Job', control.signal)).rejects.toThrow('stopped');
  reads[0]?.end(['Job']);
  expect(await other).toMatchObject({ plural: 'jobs' });
});

it('does not remember an answer whose request was sent before the kinds changed', async () => {
  const { discovery, reads } = discovered();
  const before = discovery.find('example.com/v1', 'Shop');
  discovery.forget('example.com/v1');
  const after = discovery.find('example.com/v1', 'Shop');
  reads[1]?.end(['Shop']);
  reads[0]?.end([]);
  expect(await before).toBeUndefined();
  expect(await after).toMatchObject({ plural: 'shops' });
  expect(await discovery.find('example.com/v1', 'Shop')).toMatchObject({ plural: 'shops' });
  expect(reads).toHaveLength(2);
});

it('sends one request for all group versions that were absent, and finds a group version that was installed since', async () => {
  const served = new Set<string>();
  const { discovery, paths } = answered(served);
  const versions = ['a.example/v1', 'b.example/v1', 'c.example/v1'];
  const look = () => Promise.all(versions.map(async (version) => (await discovery.find(version, 'Shop'))?.root));
  expect(await look()).toEqual([undefined, undefined, undefined]);
  expect(paths.splice(0)).toEqual(versions.map((version) => `/apis/${version}`));
  expect(await look()).toEqual([undefined, undefined, undefined]);
  expect(paths.splice(0)).toEqual(['/apis']);
  served.add('b.example/v1');
  expect(await look()).toEqual([undefined, '/apis/b.example/v1', undefined]);
  expect(paths.splice(0)).toEqual(['/apis', '/apis/b.example/v1']);
});

it('requests each group version if the list of groups is forbidden', async () => {
  const served = new Set<string>();
  const { discovery, paths } = answered(served, 'forbidden');
  expect(await discovery.find('a.example/v1', 'Shop')).toBeUndefined();
  served.add('a.example/v1');
  expect(await discovery.find('a.example/v1', 'Shop')).toMatchObject({ plural: 'shops' });
  expect(paths).toEqual(['/apis/a.example/v1', '/apis', '/apis/a.example/v1']);
});
