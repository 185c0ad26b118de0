import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, weight } from '../../api/routes.ts';
import { agreed } from './agreed.ts';

const found = (name: string): KubeObject => ({ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name } });
const half: Routes = { kind: 'weighted', canary: weight(50) };

it('a share counts once each route has it', () => {
  expect(
    agreed([
      { found: found('a'), routes: half },
      { found: found('b'), routes: half },
    ]),
  ).toEqual(half);
  expect(
    agreed([
      { found: found('a'), routes: half },
      { found: found('b'), routes: allToPrimary },
    ]),
  ).toEqual({
    unreadable: 'HTTPRoute a and HTTPRoute b do not agree on one weight',
  });
  expect(agreed([{ routes: half }, { found: found('b'), routes: undefined }])).toBeUndefined();
  expect(
    agreed([
      { found: found('a'), routes: half },
      { found: found('b'), routes: { unreadable: 'b' } },
    ]),
  ).toEqual({ unreadable: 'b' });
  expect(agreed([])).toBeUndefined();
});
