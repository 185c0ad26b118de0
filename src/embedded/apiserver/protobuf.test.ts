import { describe, expect, it } from 'vitest';
import { fromProtobuf } from './protobuf.ts';

/** Bytes that `kubectl create configmap x --from-literal=a=b` sends (kubectl 1.36.3, -v=8). */
const configMap = Buffer.from(
  '6b3873000a0f0a0276311209436f6e6669674d6170121b0a110a017812001a0022002a0032003800420012060a01611201621a002200',
  'hex',
);
const bytes = (...parts: (number | string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part))));
/** A length-delimited field. */
const part = (number: number, content: Buffer | string): Buffer => {
  const tag = (number << 3) | 2;
  return bytes(...(tag < 128 ? [tag] : [(tag & 127) | 128, tag >> 7]), Buffer.byteLength(content), content);
};
const envelope = (apiVersion: string, kind: string, raw: Buffer): Buffer =>
  bytes('k8s\0', part(1, bytes(part(1, apiVersion), part(2, kind))), part(2, raw));
const decoded = (kind: string, ...fields: Buffer[]) => fromProtobuf(envelope(kind === 'Secret' ? 'v1' : 'apps/v1', kind, bytes(...fields)));

describe('protobuf bodies', () => {
  it('are read as kubectl create sends them', () =>
    expect(fromProtobuf(configMap)).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'b' } }));

  it('keep the zero of a pointer, and drop that of a plain value', () => {
    const replicas = bytes(1 << 3, 0);
    const minReadySeconds = bytes(5 << 3, 0);
    const paused = bytes(7 << 3, 1);
    expect(decoded('Deployment', part(2, bytes(replicas, minReadySeconds, paused))).spec).toEqual({ replicas: 0, paused: true });
  });

  it('have bytes in base64, embedded structs flat, quantities and int-or-strings as one value, times as text', () => {
    expect(decoded('Secret', part(2, bytes(part(1, 'k'), part(2, Buffer.from([255, 0]))))).data).toEqual({ k: '/wA=' });
    const volume = bytes(part(1, 'v'), part(2, part(19, part(1, part(1, 'settings')))));
    const limits = part(1, bytes(part(1, 'cpu'), part(2, part(1, '100m'))));
    const container = bytes(part(1, 'app'), part(8, limits));
    const maxSurge = bytes(1 << 3, 1, part(3, '25%'));
    const maxUnavailable = bytes(1 << 3, 0, 2 << 3, 3);
    const spec = bytes(
      part(3, part(2, bytes(part(1, volume), part(2, container)))),
      part(4, part(2, bytes(part(1, maxUnavailable), part(2, maxSurge)))),
    );
    const metadata = part(8, bytes(1 << 3, 60));
    expect(decoded('Deployment', part(1, metadata), part(2, spec))).toMatchObject({
      metadata: { creationTimestamp: '1970-01-01T00:01:00Z' },
      spec: {
        template: {
          spec: {
            volumes: [{ name: 'v', configMap: { name: 'settings' } }],
            containers: [{ name: 'app', resources: { limits: { cpu: '100m' } } }],
          },
        },
        strategy: { rollingUpdate: { maxUnavailable: 3, maxSurge: '25%' } },
      },
    });
  });

  it.each([
    ['another magic', Buffer.from('nope'), 'does not begin'],
    ['a body cut off', configMap.subarray(0, 40), 'ends inside'],
    ['an unknown kind', envelope('example.test/v1', 'Thing', Buffer.alloc(0)), 'Thing'],
    ['a group of fields', envelope('v1', 'ConfigMap', Buffer.from([3])), 'wire type 3'],
  ])('%s is refused in words', (_, body, words) => expect(() => fromProtobuf(body)).toThrow(words));
});
