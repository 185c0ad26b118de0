import { describe, expect, it } from 'vitest';
import { readNamespace } from './read-world.ts';

const refused = Object.assign(new Error('forbidden'), { status: 403 });

describe('what an arrival reads', () => {
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

  it('06-RB20: a Serin that is limited to namespaces asks for nothing elsewhere, so that no request is refused', async () => {
    expect(await asked(true, false)).toEqual({ everywhere: [], unread: [] });
  });

  it('else peers in other namespaces are read, and where that is refused those of its own', async () => {
    expect(await asked(false, true)).toMatchObject({ everywhere: ['NetworkPolicy'] });
    expect(await asked(false, false)).toEqual({ everywhere: ['NetworkPolicy'], unread: [] });
  });
});
