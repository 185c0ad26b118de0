import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { ApiError, apiErrorOf } from '../../kube/errors.ts';
import { secretChecksum } from '../../workloads/configs/checksum.ts';
import { copiesOf } from '../../workloads/configs/copies.ts';
import type { SecretsPolicy } from '../../workloads/configs/read-configs.ts';
import { Salt } from '../../workloads/configs/salt.ts';
import { makeCopies, pruneCopies } from './config-copies.ts';

const SECRET_TEXT = 'hunter2-do-not-show';
/** An answer of the API server. */
const refused = (message: string) => apiErrorOf('POST', 403, JSON.stringify({ kind: 'Status', reason: 'Forbidden', message }));
const canary = aCanary();
const owner = { name: 'podinfo-serin-anchor', uid: 'a-1' };
const { signal } = new AbortController();
const secret = (name: string, password: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'test', uid: `u-${name}` },
  type: 'Opaque',
  data: { password },
});
const salt = Salt.of(['a']);
const copyOf = (source: KubeObject) => {
  const key = `secret/${source.metadata.name}` as const;
  return copiesOf(canary, new Map([[key, source]]), { [key]: { checksum: secretChecksum(source, salt) } }, []);
};
const reading = (...names: string[]) => ({ template: { spec: { volumes: names.map((secretName) => ({ secret: { secretName } })) } } });

/** Holds Secrets by name; a refusal is thrown at every create. */
class Store {
  readonly objects = new Map<string, KubeObject>();
  readonly asked: string[] = [];
  refusal: Error | undefined;

  create = async (object: KubeObject): Promise<KubeObject> => {
    if (this.refusal) throw this.refusal;
    if (this.objects.has(object.metadata.name)) throw new ApiError('POST: 409', { status: 409, reason: 'AlreadyExists' });
    this.objects.set(object.metadata.name, object);
    return object;
  };
  get = async ({ name }: ObjectRef): Promise<KubeObject | undefined> => {
    this.asked.push(`get ${name}`);
    return this.objects.get(name);
  };
  list = async ({ kind }: { kind: string }): Promise<{ items: KubeObject[]; resourceVersion: string }> => {
    this.asked.push(`list ${kind}`);
    return { items: [...this.objects.values()].filter((object) => object.kind === kind), resourceVersion: '1' };
  };
  delete = async ({ name }: ObjectRef): Promise<void> => {
    this.objects.delete(name);
  };
}

const contextOf = (store: Store, { mode, names }: SecretsPolicy = { mode: 'watch', names: [] }) => ({
  canary,
  cluster: store,
  config: { secretsMode: mode, secretsNames: names, secretsNamespaces: [] },
  signal,
});

describe('makeCopies', () => {
  it('creates each copy, owned by the anchor, and takes a copy that an interrupted promotion has made', async () => {
    const store = new Store();
    const copies = copyOf(secret('db', 'eA=='));
    await makeCopies(contextOf(store), copies, owner);
    const [made] = [...store.objects.values()];
    expect(made?.metadata.ownerReferences).toEqual([{ apiVersion: 'apps/v1', kind: 'ControllerRevision', ...owner }]);
    await makeCopies(contextOf(store), copies, owner);
    expect([...store.objects.values()]).toEqual([made]);
  });

  it('an object of another owner under the name of a copy is refused and stays unmodified', async () => {
    const store = new Store();
    const copies = copyOf(secret('db', 'eA=='));
    const [copy] = copies.copies;
    const theirs = secret(copy?.metadata.name ?? '', 'bWluZQ==');
    store.objects.set(theirs.metadata.name, theirs);
    await expect(makeCopies(contextOf(store), copies, owner)).rejects.toThrow(
      /Secret db-primary-.* exists and is not ours: rename or remove it$/,
    );
    expect(store.objects.get(theirs.metadata.name)).toBe(theirs);
  });

  it('a copy that is being deleted is waited for', async () => {
    const store = new Store();
    const copies = copyOf(secret('db', 'eA=='));
    await makeCopies(contextOf(store), copies, owner);
    for (const copy of store.objects.values()) copy.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    await expect(makeCopies(contextOf(store), copies, owner)).rejects.toThrow(/is being deleted/);
  });

  it('a copy that the primary reads is looked at first, and made again where it is gone', async () => {
    const store = new Store();
    const copies = copyOf(secret('db', 'eA=='));
    const [name = ''] = copies.names.values();
    const inUse = new Set([`secret/${name}` as const]);
    expect(await makeCopies(contextOf(store), copies, owner, inUse), 'it was deleted').toBe(true);
    store.refusal = new Error('nothing is created');
    expect(await makeCopies(contextOf(store), copies, owner, inUse)).toBe(false);
    store.objects.set(name, secret(name, 'bWluZQ=='));
    await expect(makeCopies(contextOf(store), copies, owner, inUse)).rejects.toThrow(/exists and is not ours/);
  });

  it('with Secrets limited by name, a copy that exists is taken by its name, which is made of its Canary and content', async () => {
    const store = new Store();
    const copies = copyOf(secret('db', 'eA=='));
    for (const _ of ['made', 'found']) await makeCopies(contextOf(store, { mode: 'watch', names: ['db'] }), copies, owner);
    expect(store.asked).toEqual([]);
    expect(store.objects.size).toBe(1);
  });

  it.each([
    {
      what: 'permission',
      error: refused('secrets is forbidden: User "serin" cannot create resource "secrets"'),
      says: /cannot create resource "secrets": grant it/,
    },
    {
      what: 'a quota',
      error: refused('secrets "db" is forbidden: exceeded quota: small, requested: secrets=1, used: secrets=1, limited: secrets=1'),
      says: /exceeded quota.*ask the owner of the quota to raise it/,
    },
    {
      what: 'a webhook that quotes',
      error: refused(`admission webhook "x" denied the request: User "a" cannot have ${SECRET_TEXT}`),
      says: /403 Forbidden$/,
    },
    {
      what: 'validation that quotes',
      error: new ApiError(`POST: 422 ${SECRET_TEXT}`, { status: 422, reason: 'Invalid' }),
      says: /422 Invalid$/,
    },
    { what: 'an error that quotes', error: new SyntaxError(`in ${SECRET_TEXT}`), says: /SyntaxError$/ },
  ])('$what is reported without content', async ({ error, says }) => {
    const store = new Store();
    store.refusal = error;
    const refused = await makeCopies(contextOf(store), copyOf(secret('db', SECRET_TEXT)), owner).catch((thrown: unknown) => thrown);
    expect(String(refused)).toMatch(says);
    expect(String(refused)).toMatch(/Secret db-primary-[0-9a-f]{10}, the copy/);
    expect(`${refused} ${JSON.stringify(refused)}`).not.toContain(SECRET_TEXT);
  });
});

describe('pruneCopies', () => {
  async function withCopies() {
    const store = new Store();
    const old = copyOf(secret('db', 'b2xk'));
    const current = copyOf(secret('db', 'bmV3'));
    for (const copies of [old, current]) await makeCopies(contextOf(store), copies, owner);
    const nameIn = ({ names }: typeof old) => names.get('secret/db') ?? '';
    return { store, old: nameIn(old), current: nameIn(current) };
  }

  it.each(['watch', 'get'] as const)('in mode %s a copy that no kept template reads is deleted', async (mode) => {
    const { store, old, current } = await withCopies();
    await pruneCopies(contextOf(store, { mode, names: [] }), { kept: [reading(current)], pruned: [reading(old)] });
    expect([...store.objects.keys()]).toEqual([current]);
    expect(store.asked.includes('list Secret')).toBe(mode === 'watch');
  });

  it('a copy that is read by a kept template stays, also when a pruned one read it too', async () => {
    const { store, old, current } = await withCopies();
    const templates = { kept: [reading(current), reading(old)], pruned: [reading(old)] };
    for (const mode of ['watch', 'get'] as const) await pruneCopies(contextOf(store, { mode, names: [] }), templates);
    expect([...store.objects.keys()]).toEqual([old, current]);
  });

  it('mode get looks at nothing that is not named like a copy, mode off at no Secret', async () => {
    const { store, old, current } = await withCopies();
    const templates = { kept: [reading(current)], pruned: [reading(old, 'regcred')] };
    await pruneCopies(contextOf(store, { mode: 'off', names: [] }), templates);
    expect(store.asked).not.toContain('list Secret');
    await pruneCopies(contextOf(store, { mode: 'get', names: [] }), templates);
    expect(store.asked).not.toContain('get regcred');
  });

  it('with Secrets limited by name, no Secret is looked at, and their copies stay', async () => {
    const { store, old, current } = await withCopies();
    const templates = { kept: [reading(current)], pruned: [reading(old)] };
    for (const mode of ['watch', 'get'] as const) await pruneCopies(contextOf(store, { mode, names: ['db'] }), templates);
    expect(store.asked).toEqual(['list ConfigMap', 'list ConfigMap']);
    expect([...store.objects.keys()]).toEqual([old, current]);
  });

  it('a promotion that made no copy looks for none, unless a pruned template read a copy that no kept template reads', async () => {
    const { store, old, current } = await withCopies();
    await pruneCopies(contextOf(store), { kept: [reading(current)], pruned: [reading(current)] }, false);
    expect(store.asked).toEqual([]);
    await pruneCopies(contextOf(store), { kept: [reading(current)], pruned: [reading(old)] }, false);
    expect([...store.objects.keys()]).toEqual([current]);
  });

  it('nothing is looked for without any copy', async () => {
    const store = new Store();
    await pruneCopies(contextOf(store, { mode: 'watch', names: [] }), { kept: [reading('db')], pruned: [] });
    expect(store.asked).toEqual([]);
  });

  it('the promotion goes on if listing is forbidden', async () => {
    const { store, current } = await withCopies();
    store.list = async () => {
      throw new ApiError('GET: 403', { status: 403, reason: 'Forbidden' });
    };
    await pruneCopies(contextOf(store, { mode: 'watch', names: [] }), { kept: [reading(current)], pruned: [] });
    expect(store.objects.size).toBe(2);
  });
});
