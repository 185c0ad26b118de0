import { expect, it } from 'vitest';
import { sourceOf } from '../../../test/contracts/metric-backends/backend-case.ts';
import { externalmetricsElsewhere as known } from '../../../test/contracts/metric-backends/externalmetrics.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { externalmetrics, readExternalQuery } from './externalmetrics.ts';

const signal = new AbortController().signal;

it.each([
  ['m', { namespace: 'default', metric: 'm', selector: '' }],
  ['/m', { namespace: 'default', metric: 'm', selector: '' }],
  ['ns/m', { namespace: 'ns', metric: 'm', selector: '' }],
  ['ns/m?labelSelector=a%3Db', { namespace: 'ns', metric: 'm', selector: 'a=b' }],
  ['  ns/m\n', { namespace: 'ns', metric: 'm', selector: '' }],
  ['ns/queue%3Alength', { namespace: 'ns', metric: 'queue%3Alength', selector: '' }],
])('%j is read', (query, read) => {
  expect(readExternalQuery(query)).toEqual(read);
});

it('replaces half a surrogate pair by the replacement character', () => {
  expect(readExternalQuery('ns/\ud800')).toMatchObject({ metric: '%EF%BF%BD' });
});

it.each(['ns/', '/', '', 'a/b/c', '%zz', '../m', 'ns/..', 'ns/%2e%2e', 'a%2Fb%2Fc', 'NS/m', 'ns%3Fx/m'])(
  '%j is refused, so that no query leads elsewhere on the API server',
  (query) => {
    expect(readExternalQuery(query)).toEqual({ problem: expect.stringContaining('is not [namespace/]metric') });
  },
);

it.each([
  ['1500m', 1.5],
  ['1m', 0.001],
  ['7', 7],
  ['-3', -3],
  ['.5', 0.5],
  ['2k', 2000],
  ['3Ki', 3072],
  ['1Gi', 1073741824],
  ['5e3', 5000],
  ['12E', 12e18],
  ['100n', 1e-7],
])('the quantity %s is %d', (text, value) => {
  expect(parseQuantity(text)).toBe(value);
});

it.each(['', 'm', '1 m', '1mm', '0x1', 'NaN', '1e', '1Ki5'])('%j is not a quantity', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});

it('an address without its own token gets requests without any token, and never through the cluster', async () => {
  const fake = await known.start();
  const asked: string[] = [];
  const askCluster = async ({ path }: { path: string }) => {
    asked.push(path);
    return { status: 200, body: '{}' };
  };
  const made = externalmetrics({ ...sourceOf(known, 'externalmetrics', fake.address), secret: undefined, askCluster });
  if ('problem' in made) throw new Error(made.problem);
  expect(await made.runQuery('shop/queue', signal)).toEqual({ kind: 'value', value: 7 });
  await made.isOnline(signal);
  expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  expect(asked).toEqual([]);
  await fake.stop();
});

it.each([
  ['a mistyped key', { tokne: 't' }, 'Secret credentials lacks token, which provider type externalmetrics needs'],
  ['an empty token', { token: '' }, 'Secret credentials lacks token, which provider type externalmetrics needs'],
  ['keys that are only for TLS', { 'ca.crt': 'pem' }, undefined],
])('a Secret for an address with %s: the query does not go out without the credentials that are meant', (_, secret, problem) => {
  const made = externalmetrics({ ...sourceOf(known, 'externalmetrics', 'http://adapter.test'), secret, secretName: 'credentials' });
  expect('problem' in made ? made.problem : undefined).toBe(problem);
});

it('fails with a message without a cluster', async () => {
  const made = externalmetrics({ ...sourceOf(known, 'externalmetrics', ''), secret: undefined });
  if ('problem' in made) throw new Error(made.problem);
  expect(await made.runQuery('m', signal)).toEqual({ kind: 'error', reason: expect.stringContaining('none is connected') });
});

it('a query of the cluster is limited to the namespace of its template, which it need not name', async () => {
  const asked: string[] = [];
  const askCluster = async ({ path }: { path: string }) => {
    asked.push(path);
    return { status: 200, body: '{"items":[{"value":"7"}]}' };
  };
  const made = externalmetrics({ ...sourceOf(known, 'externalmetrics', ''), secret: undefined, askCluster });
  if ('problem' in made) throw new Error(made.problem);
  for (const query of ['other/queue', 'default/queue', 'other/queue?labelSelector=a%3Db', '%6Fther/queue'])
    expect(await made.runQuery(query, signal), query).toEqual({
      kind: 'error',
      reason: expect.stringContaining('and can read only namespace "shop"'),
    });
  expect(asked).toEqual([]);
  for (const query of ['queue', '/queue', 'shop/queue']) expect(await made.runQuery(query, signal)).toEqual({ kind: 'value', value: 7 });
  expect(asked).toEqual(Array(3).fill('/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue'));
});

it('at its own address any namespace is queried, as the token there allows, and default if none is named', async () => {
  const fake = await known.start();
  const made = externalmetrics(sourceOf(known, 'externalmetrics', fake.address));
  if ('problem' in made) throw new Error(made.problem);
  await made.runQuery('other/queue', signal);
  await made.runQuery('queue', signal);
  expect(fake.requests.map(({ url }) => url)).toEqual([
    '/apis/external.metrics.k8s.io/v1beta1/namespaces/other/queue',
    '/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue',
  ]);
  await fake.stop();
});
