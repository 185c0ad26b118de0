import { expect, it } from 'vitest';
import { connectionTo, loadConnection } from './connect.ts';

const kubeconfig = `apiVersion: v1
kind: Config
current-context: one
clusters:
- { name: c, cluster: { server: "http://127.0.0.1:1/" } }
users:
- { name: u, user: { token: abc } }
contexts:
- { name: one, context: { cluster: c, user: u, namespace: shop } }
`;

it('reads server, namespace and token of a kubeconfig given as text', async () => {
  const connection = await loadConnection({ kubeconfig });
  expect([connection.baseUrl, connection.namespace]).toEqual(['http://127.0.0.1:1', 'shop']);
  expect(await connection.headers()).toMatchObject({ Authorization: 'Bearer abc' });
});

it('takes another server and refuses an unknown context', async () => {
  expect((await loadConnection({ kubeconfig, master: 'http://127.0.0.1:2' })).baseUrl).toBe('http://127.0.0.1:2');
  await expect(loadConnection({ kubeconfig, context: 'none' })).rejects.toThrow('no context named none');
});

it('connects to a plain URL without credentials', async () => {
  const connection = connectionTo('http://127.0.0.1:3/');
  expect([connection.baseUrl, await connection.headers(), connection.tls]).toEqual(['http://127.0.0.1:3', {}, undefined]);
});
