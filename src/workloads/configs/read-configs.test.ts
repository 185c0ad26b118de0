import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { ApiError, RequestTimeoutError } from '../../kube/errors.ts';
import type { ConfigRef } from './config-ref.ts';
import { readConfigs, secretsPolicy, trackable } from './read-configs.ts';

const SECRET_TEXT = 'hunter2-do-not-show';
const ref = (kind: ConfigRef['kind'], name: string, optional = false): ConfigRef => ({ kind, name, optional });
const object = (kind: string, name: string, fields: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'shop', uid: `u-${name}`, resourceVersion: '7' },
  ...fields,
});

/** Answers by `Kind/name`; an Error is thrown, a missing entry is a 404. */
function reader(answers: Record<string, KubeObject | Error>) {
  const asked: string[] = [];
  const get = async ({ kind, name, namespace }: ObjectRef) => {
    asked.push(`${namespace}/${kind}/${name}`);
    const answer = answers[`${kind}/${name}`];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const { signal } = new AbortController();
  return { asked, read: (refs: ConfigRef[]) => readConfigs({ get }, 'shop', refs, signal) };
}

describe('readConfigs', () => {
  it('gives existing configs, by ref key, and undefined for an absent optional one', async () => {
    const settings = object('ConfigMap', 'settings', { data: { a: '1' } });
    const db = object('Secret', 'settings', { type: 'Opaque', data: { p: 'eA==' } });
    const { read, asked } = reader({ 'ConfigMap/settings': settings, 'Secret/settings': db });
    expect(await read([ref('ConfigMap', 'settings'), ref('Secret', 'settings'), ref('Secret', 'maybe', true)])).toEqual({
      found: new Map([
        ['configmap/settings', settings],
        ['secret/settings', db],
        ['secret/maybe', undefined],
      ]),
    });
    expect(asked).toEqual(['shop/ConfigMap/settings', 'shop/Secret/settings', 'shop/Secret/maybe']);
  });

  it('a required config that does not exist is named in the problem', async () => {
    expect(await reader({}).read([ref('Secret', 'db')])).toEqual({
      problem: { code: 'ConfigNotFound', object: { apiVersion: 'v1', kind: 'Secret', name: 'db', namespace: 'shop' } },
    });
  });

  it.each([
    { error: new ApiError('GET …: 403 Forbidden', { status: 403, reason: 'Forbidden' }), says: /^cannot be read: .*403.*grant/ },
    {
      error: new ApiError('GET …: 500 InternalError', { status: 500, reason: 'InternalError' }),
      says: /^cannot be read: .*500/,
    },
    { error: new RequestTimeoutError('GET …', 10_000), says: /^cannot be read: .*within 10000 ms/ },
  ])('$error.name $error.message does not mean absence, even for an optional config', async ({ error, says }) => {
    const { read } = reader({ 'ConfigMap/a': error });
    expect(await read([ref('ConfigMap', 'a', true)])).toEqual({
      problem: {
        code: 'ConfigUnreadable',
        object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'shop' },
        detail: expect.stringMatching(says),
      },
    });
  });

  it('shows no content: the text of an unexpected error could quote the content', async () => {
    const { read } = reader({ 'Secret/a': new SyntaxError(`Unexpected token in "${SECRET_TEXT}"`) });
    const answer = await read([ref('Secret', 'a')]);
    expect(answer).toMatchObject({ problem: { code: 'ConfigUnreadable', object: { kind: 'Secret', name: 'a' } } });
    expect(JSON.stringify(answer)).not.toContain(SECRET_TEXT);
  });

  it('Secrets count in all modes except off', () => {
    const refs = [ref('Secret', 'db'), ref('ConfigMap', 'a')];
    expect(trackable(refs, { mode: 'off', names: [] })).toEqual([ref('ConfigMap', 'a')]);
    for (const mode of ['watch', 'get'] as const) expect(trackable(refs, { mode, names: [] })).toEqual(refs);
  });

  it('secrets names: other Secrets do not count; ConfigMaps count with any name', () => {
    const refs = [ref('Secret', 'db'), ref('Secret', 'mail'), ref('ConfigMap', 'a')];
    expect(trackable(refs, { mode: 'watch', names: ['db'] })).toEqual([ref('Secret', 'db'), ref('ConfigMap', 'a')]);
  });

  it.each([
    { namespaces: [], mode: 'watch' },
    { namespaces: ['shop'], mode: 'watch' },
    { namespaces: ['mail'], mode: 'off' },
  ] as const)('secrets namespaces $namespaces: the mode in namespace shop is $mode', ({ namespaces, mode }) => {
    const config = { secretsMode: 'watch' as const, secretsNamespaces: namespaces, secretsNames: ['db'] };
    expect(secretsPolicy(config, 'shop')).toEqual({ mode, names: ['db'] });
  });

  it('an abort is not a result about a config', async () => {
    const stopping = new AbortController();
    const get = async () => {
      stopping.abort(new Error('stopped'));
      throw new Error('aborted');
    };
    await expect(readConfigs({ get }, 'shop', [ref('ConfigMap', 'a')], stopping.signal)).rejects.toThrow('stopped');
  });
});
