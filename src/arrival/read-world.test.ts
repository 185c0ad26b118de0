import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { readNamespace } from './read-world.ts';

const refused = Object.assign(new Error('forbidden'), { status: 403 });

describe('objects that an arrival reads', () => {
  const asked = async (isLimited: boolean, mayRead: boolean) => {
    const everywhere: string[] = [];
    const { unread } = await readNamespace(
      'prod',
      async ({ kind, namespace }) => {
        if (namespace === undefined) everywhere.push(kind);
        if (namespace === undefined && !mayRead) throw refused;
        return { items: [] };
      },
      { isLimited },
    );
    return { everywhere, unread };
  };

  const ofAll = ['NetworkPolicy', 'VirtualService', 'DestinationRule', 'HTTPRoute', 'GRPCRoute', 'HTTPProxy', 'TrafficRoute'];
  const partly = (kind: string) => expect.objectContaining({ kind, why: 'only objects of namespace prod can be seen' });

  it('a Serin that is limited to namespaces requests no other objects, so that no request is refused, and reports what it cannot see', async () => {
    expect(await asked(true, false)).toEqual({ everywhere: [], unread: ofAll.map(partly) });
  });

  it('a Serin without that limit reads objects of other namespaces, and only those of its own namespace if that is refused', async () => {
    expect(await asked(false, true)).toEqual({ everywhere: ofAll, unread: [] });
    expect(await asked(false, false)).toMatchObject({ unread: ofAll.map(partly) });
  });

  const admitting = (key: string) => ({
    metadata: { name: 'db', namespace: 'data' },
    spec: { podSelector: {}, ingress: [{ from: [{ namespaceSelector: { matchLabels: { [key]: 'prod' } } }] }] },
  });
  const read = async (key: string, get: () => Promise<unknown>) => {
    let asks = 0;
    const { objects, unread } = await readNamespace(
      'prod',
      async ({ kind }) => ({ items: kind === 'NetworkPolicy' ? [{ apiVersion: '', kind: '', ...admitting(key) }] : [] }),
      {
        getNamespace: async () => {
          asks += 1;
          return (await get()) as KubeObject;
        },
      },
    );
    return { asks, unread, namespaces: objects.filter(({ kind }) => kind === 'Namespace') };
  };
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod', labels: { team: 'prod' } } };

  it('the labels of the namespace are read if a policy depends on them, and are reported as not checked if reading is forbidden', async () => {
    expect(await read('team', async () => home)).toEqual({ asks: 1, unread: [], namespaces: [home] });
    expect(await read('kubernetes.io/metadata.name', async () => home)).toMatchObject({ asks: 0 });
    const forbidden = await read('team', () => Promise.reject(refused));
    expect(forbidden).toMatchObject({ namespaces: [], unread: [{ kind: 'Namespace' }] });
  });
});
