import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { ApiError } from '../../kube/errors.ts';
import { configChecksum } from '../../workloads/configs/checksum.ts';
import type { ConfigKey, ConfigRef } from '../../workloads/configs/config-ref.ts';
import { MOST_CONFIGS, type SecretsMode } from '../../workloads/configs/read-configs.ts';
import { allMarked, marksOf } from '../../workloads/configs/read-marks.ts';
import { type SeenConfigs, trackedChecksums } from '../../workloads/configs/revision.ts';
import { Salt, saltIdOf } from '../../workloads/configs/salt.ts';
import type { ConfigState } from '../watch/config-state.ts';
import { TrackedConfigs } from './tracked-configs.ts';

const settings: ConfigRef = { kind: 'ConfigMap', name: 'settings', optional: false };
const db: ConfigRef = { kind: 'Secret', name: 'db', optional: false };
const BLUE = 'f234cb93c08ad64e';
const { signal } = new AbortController();
const marks = { salt: Salt.of(['a']), isPromoted: true, copyOf: async () => undefined };
async function learn(tracked: TrackedConfigs, key: ConfigKey, object: KubeObject | undefined): Promise<void> {
  const read = await marksOf(new Map([[key, object]]), {}, marks);
  tracked.learn({ marks: read, configs: allMarked(read, {}) });
}

const MISSING: ConfigState = { state: 'absent', resourceVersion: '3' };

/** A namespace whose watches report at once, unless a test delays them. */
class Configs {
  readonly objects = new Map<string, KubeObject>();
  readonly states = new Map<string, ConfigState>();
  readonly read: string[] = [];
  followed: string[] = [];
  #version = 10;

  put(ref: ConfigRef, data: Record<string, string>, fields: Partial<KubeObject> = {}): void {
    const before = this.objects.get(ref.name);
    const resourceVersion = String(++this.#version);
    const metadata = { name: ref.name, uid: before?.metadata.uid ?? `u${this.#version}`, resourceVersion };
    this.objects.set(ref.name, { apiVersion: 'v1', kind: ref.kind, metadata, data, ...fields });
    this.report(ref);
  }

  report({ name }: ConfigRef, isLive = false): void {
    const { uid = '', resourceVersion = '' } = this.objects.get(name)?.metadata ?? {};
    this.states.set(name, this.objects.has(name) ? { state: 'present', uid, resourceVersion, isLive } : MISSING);
  }

  tracked(secrets: SecretsMode = 'watch'): TrackedConfigs {
    const get = async ({ name }: ObjectRef) => {
      this.read.push(name);
      return this.objects.get(name);
    };
    const watches = {
      follow: (_follower: string, _namespace: string, refs: readonly ConfigRef[]) => {
        this.followed = refs.map(({ name }) => name);
      },
      state: async ({ name }: ConfigRef): Promise<ConfigState> => this.states.get(name) ?? MISSING,
    };
    return new TrackedConfigs({ cluster: { get }, watches, secrets: () => ({ mode: secrets, names: [] }) });
  }
}

const lookAt = (tracked: TrackedConfigs, refs: ConfigRef[], configs: SeenConfigs = {}, isPinned = false, template = 's1:a') =>
  tracked.read({ follower: 'shop/web', namespace: 'shop', uid: 'd-1', template, refs }, { configs, isPinned }, async () => marks, signal);
const known = async (look: ReturnType<typeof lookAt>): Promise<SeenConfigs> => {
  const found = await look;
  if ('problem' in found) throw new Error(found.problem.detail);
  return found.configs;
};

describe('watched configs', () => {
  it('are read once, and again only when the watch reports another version', async () => {
    const configs = new Configs();
    configs.put(settings, { color: 'blue' });
    const tracked = configs.tracked();
    expect(trackedChecksums(await known(lookAt(tracked, [settings])))).toEqual({ 'configmap/settings': BLUE });
    await lookAt(tracked, [settings]);
    expect(configs.read).toEqual(['settings']);
    configs.put(settings, { color: 'red' });
    expect(trackedChecksums(await known(lookAt(tracked, [settings])))).not.toEqual({ 'configmap/settings': BLUE });
    expect(configs.read).toEqual(['settings', 'settings']);
  });

  it('I8: are not read at all where the status remembers this version', async () => {
    const configs = new Configs();
    configs.put(settings, { color: 'blue' });
    const remembered = await known(lookAt(configs.tracked(), [settings]));
    const afterRestart = configs.tracked();
    expect(await known(lookAt(afterRestart, [settings], remembered, true))).toEqual(remembered);
    expect(configs.read).toEqual(['settings']);
  });

  it('a config that was created again under its name is read, at any version', async () => {
    const configs = new Configs();
    configs.put(settings, { color: 'blue' });
    const tracked = configs.tracked();
    await lookAt(tracked, [settings]);
    configs.objects.delete('settings');
    configs.put(settings, { color: 'blue' });
    expect((await known(lookAt(tracked, [settings])))['configmap/settings']?.checksum).toBe(BLUE);
    expect(configs.read.length).toBe(2);
  });

  it('a config read after the last event of the watch is newer than that event', async () => {
    const configs = new Configs();
    configs.put(settings, { color: 'red' });
    const late = configs.states.get('settings');
    configs.put(settings, { color: 'blue' });
    if (late) configs.states.set('settings', late);
    const tracked = configs.tracked();
    for (const _ of [1, 2]) expect(trackedChecksums(await known(lookAt(tracked, [settings])))).toEqual({ 'configmap/settings': BLUE });
    expect(configs.read.length).toBe(1);
  });

  it('a config that opted out is not read, and has no checksum', async () => {
    const configs = new Configs();
    configs.put(settings, { color: 'blue' });
    configs.report(settings, true);
    expect(trackedChecksums(await known(lookAt(configs.tracked(), [settings])))).toEqual({});
    expect(configs.read).toEqual([]);
  });

  it.each([
    { what: 'becomes live', wasLive: false },
    { what: 'is not live any more', wasLive: true },
  ])('E131: a Secret that $what counts as recorded, until the template changes, and is not read', async ({ wasLive }) => {
    const configs = new Configs();
    configs.put(db, { password: 'old' });
    configs.report(db, wasLive);
    const recorded = await known(lookAt(configs.tracked(), [db]));
    configs.put(db, { password: 'new' });
    configs.report(db, !wasLive);
    configs.read.length = 0;
    const later = configs.tracked();
    expect(await known(lookAt(later, [db], recorded, true))).toEqual(recorded);
    expect(later.isRemembered(recorded)).toBe(true);
    expect(configs.read).toEqual([]);
    expect(Object.keys(trackedChecksums(await known(lookAt(later, [db], recorded, false, 's1:b'))))).toEqual(wasLive ? ['secret/db'] : []);
  });

  it('E131: a live Secret that is made again is live still', async () => {
    const configs = new Configs();
    configs.put(db, { password: 'old' });
    const recorded = await known(lookAt(configs.tracked(), [db]));
    configs.objects.delete('db');
    configs.put(db, { password: 'new' });
    configs.report(db, true);
    expect(await known(lookAt(configs.tracked(), [db], recorded, true))).toEqual(recorded);
  });

  it('missing is a problem where it is required, and known where it is optional', async () => {
    const tracked = new Configs().tracked();
    expect(await lookAt(tracked, [settings])).toEqual({
      problem: { code: 'ConfigNotFound', object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'shop' } },
    });
    expect(await known(lookAt(tracked, [{ ...settings, optional: true }]))).toEqual({ 'configmap/settings': { resourceVersion: '3' } });
  });

  it('E56: for a missing config the record says since when it is absent, if it was watched', async () => {
    const configs = new Configs();
    configs.states.set('settings', { state: 'absent', resourceVersion: '7' });
    const optional = { ...settings, optional: true };
    expect(await known(lookAt(configs.tracked(), [optional]))).toEqual({ 'configmap/settings': { resourceVersion: '7' } });
  });

  it('a config that cannot be watched or read is a problem, also where it is optional', async () => {
    const configs = new Configs();
    const problem = { code: 'ConfigUnreadable', detail: 'cannot be watched' } as const;
    configs.states.set('settings', { state: 'unknown', problem });
    expect(await lookAt(configs.tracked(), [{ ...settings, optional: true }])).toEqual({ problem });
    configs.put(settings, {});
    const get = async () => {
      throw new ApiError('GET: 503', { status: 503, reason: 'ServiceUnavailable' });
    };
    const watches = { follow: () => undefined, state: async () => configs.states.get('settings') ?? MISSING };
    const broken = new TrackedConfigs({ cluster: { get }, watches, secrets: () => ({ mode: 'watch', names: [] }) });
    expect(await lookAt(broken, [settings])).toMatchObject({
      problem: { code: 'ConfigUnreadable', object: { name: 'settings' }, detail: expect.stringContaining('cannot be read') },
    });
  });

  it('a config that a promotion has read is not read again, nor replaced by an older watch event', async () => {
    const configs = new Configs();
    configs.put(settings, { color: 'red' });
    const tracked = configs.tracked();
    await lookAt(tracked, [settings]);
    const late = configs.states.get('settings');
    configs.put(settings, { color: 'blue' });
    if (late) configs.states.set('settings', late);
    await learn(tracked, 'configmap/settings', configs.objects.get('settings'));
    expect(trackedChecksums(await known(lookAt(tracked, [settings])))).toEqual({ 'configmap/settings': BLUE });
    expect(configs.read.length).toBe(1);
  });
});

describe('many configs', () => {
  it('I15: a template that names more than the limit is a problem, and none of them is watched or read', async () => {
    const configs = new Configs();
    const refs = (count: number) => Array.from({ length: count }, (_, index) => ({ ...settings, name: `flag-${index}`, optional: true }));
    const tracked = configs.tracked();
    expect(Object.keys(await known(lookAt(tracked, refs(MOST_CONFIGS))))).toHaveLength(MOST_CONFIGS);
    expect(await lookAt(tracked, refs(MOST_CONFIGS + 1))).toEqual({
      problem: { code: 'TargetUnusable', detail: expect.stringContaining(`${MOST_CONFIGS}`) },
    });
    expect([configs.followed, configs.read]).toEqual([[], []]);
  });

  it('unwatched configs are read when a watched config or the template starts a release, and are named', async () => {
    const configs = new Configs();
    const extra: ConfigRef = { ...settings, name: 'extra' };
    configs.put(settings, { color: 'blue' });
    configs.put(extra, { size: '1' });
    configs.states.set('extra', { state: 'unwatched' });
    const tracked = configs.tracked();
    const first = await lookAt(tracked, [settings, extra]);
    expect(first).toMatchObject({ configs: { 'configmap/extra': { checksum: expect.any(String) } }, unwatched: [extra] });
    const pinned = await known(Promise.resolve(first));
    configs.put(extra, { size: '2' });
    configs.states.set('extra', { state: 'unwatched' });
    expect(await known(lookAt(configs.tracked(), [settings, extra], pinned, true)), 'after a restart').toEqual(pinned);
    expect(configs.read).toEqual(['settings', 'extra']);
    const next = await known(lookAt(tracked, [settings, extra], pinned, false, 's1:b'));
    expect(next['configmap/extra']?.checksum).not.toBe(pinned['configmap/extra']?.checksum);
  });
});

describe('secrets mode', () => {
  it('off: Secrets are neither watched nor read', async () => {
    const configs = new Configs();
    configs.put(settings, { color: 'blue' });
    configs.put(db, { p: 'eA==' });
    expect(Object.keys(await known(lookAt(configs.tracked('off'), [settings, db])))).toEqual(['configmap/settings']);
    expect(configs.followed).toEqual(['settings']);
    expect(configs.read).toEqual(['settings']);
  });

  it('get: Secrets are read when a template or a ConfigMap makes a new release, and not in between', async () => {
    const configs = new Configs();
    configs.put(settings, { color: 'blue' });
    configs.put(db, { p: 'eA==' });
    const tracked = configs.tracked('get');
    const first = await known(lookAt(tracked, [settings, db]));
    expect(configs.followed).toEqual(['settings']);
    configs.put(db, { p: 'eQ==' });
    expect(await known(lookAt(tracked, [settings, db], first, true)), 'it is not watched').toEqual(first);
    expect(await known(lookAt(configs.tracked('get'), [settings, db], first, true)), 'after a restart').toEqual(first);
    const next = await known(lookAt(tracked, [settings, db], first, false, 's1:b'));
    expect(next['secret/db']?.checksum).not.toBe(first['secret/db']?.checksum);
    configs.put(db, { p: 'eg==' });
    configs.put(settings, { color: 'red' });
    const last = await known(lookAt(tracked, [settings, db], next, true, 's1:b'));
    expect(new Set([first, next, last].map((each) => each['secret/db']?.checksum)).size).toBe(3);
    expect(configs.read.filter((name) => name === 'db').length).toBe(3);
  });

  it.each([
    { what: 'the same template counts without a look', isPinned: true, reads: 0 },
    { what: 'another template is read, so that the next record has a salt', isPinned: false, reads: 1 },
  ])('E141: a Secret that was recorded without a salt, with $what', async ({ isPinned, reads }) => {
    const configs = new Configs();
    configs.put(db, { p: 'eA==' });
    const { uid = '', resourceVersion = '' } = configs.objects.get('db')?.metadata ?? {};
    const plain = { 'secret/db': { uid, resourceVersion, checksum: configChecksum({ data: { p: 'eA==' } }) } };
    const found = await known(lookAt(configs.tracked(), [db], plain, isPinned));
    expect([configs.read.length, saltIdOf(found['secret/db']?.checksum)]).toEqual([reads, isPinned ? undefined : marks.salt.id]);
  });

  it('get: a promotion that found another content is believed', async () => {
    const configs = new Configs();
    configs.put(db, { p: 'eA==' });
    const tracked = configs.tracked('get');
    const pinned = await known(lookAt(tracked, [db]));
    configs.put(db, { p: 'eQ==' });
    await learn(tracked, 'secret/db', configs.objects.get('db'));
    expect((await known(lookAt(tracked, [db], pinned, true)))['secret/db']?.checksum).not.toBe(pinned['secret/db']?.checksum);
  });

  it.each(['off', 'get'] as const)('%s: a flag that is changed starts no release: what counted for this template stays', async (mode) => {
    const configs = new Configs();
    configs.put(settings, { color: 'blue' });
    configs.put(db, { p: 'eA==' });
    const pinned = await known(lookAt(configs.tracked(), [settings, db]));
    expect(trackedChecksums(await known(lookAt(configs.tracked(mode), [settings, db], pinned, true)))).toEqual(trackedChecksums(pinned));
    const { 'configmap/settings': only = {} } = pinned;
    const later = await known(lookAt(configs.tracked('watch'), [settings, db], { 'configmap/settings': only }, true));
    expect(Object.keys(later), 'nor does what did not count then').toEqual(['configmap/settings']);
  });
});
