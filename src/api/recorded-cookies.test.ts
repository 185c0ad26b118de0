import { expect, it } from 'vitest';
import { Routes } from './routes.ts';

const recorded = (affinity: object) => Routes.parse({ kind: 'weighted', canary: 10, affinity });

it('DF606: a recorded cookie that would break out of its header counts as none', () => {
  expect(recorded({ canary: 'a=b\r\nset-cookie: x=y', primary: 'p=q', previous: 'x=y; Domain=shop' })).toEqual({
    kind: 'weighted',
    canary: 10,
    affinity: { primary: 'p=q' },
  });
});

it('a recorded cookie without attributes is kept', () => {
  const affinity = { canary: 'side=Ab1', previous: 'side=Cd2' };
  expect(recorded(affinity)).toEqual({ kind: 'weighted', canary: 10, affinity });
});
