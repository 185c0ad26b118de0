import { describe, expect, it } from 'vitest';
import type { Release } from '../api/canary-status.ts';
import type { Facts } from './facts.ts';
import { withListedRoutes } from './listed-routes.ts';

const ref = (name: string) => ({ apiVersion: 'networking.istio.io/v1', kind: 'VirtualService', name });
const release = (...names: string[]): Release => ({ ...(names.length > 0 && { listedRoutes: names.map(ref) }) }) as Release;
const listed = (names: readonly string[], recorded: Release | undefined, converged: boolean, suspend = false) => {
  const canary = { spec: { routeRefs: names.map(ref), suspend } } as unknown as Facts['canary'];
  return withListedRoutes(recorded ?? release(), recorded, { canary, converged }).listedRoutes?.map(({ name }) => name);
};

describe('routes of spec.routeRefs', () => {
  it('E139: are recorded before they are split, and without listed routes the status does not change', () => {
    expect([listed(['a'], undefined, false), listed([], undefined, true)]).toEqual([['a'], undefined]);
  });
  it('E139: stay recorded after they are removed from the list until the cluster has converged under this spec', () => {
    expect([listed(['a'], release('a', 'b'), false), listed(['a'], release('a', 'b'), true)]).toEqual([['b', 'a'], ['a']]);
  });
  it('E139: stay recorded under a suspend, which writes nothing', () => {
    expect(listed([], release('b'), true, true)).toEqual(['b']);
  });
  it('have a maximum number, for any number of edits of the list', () => {
    const many = Array.from({ length: 40 }, (_, index) => `old-${index}`);
    expect(listed(['a'], release(...many), false)).toEqual([...many.slice(-16), 'a']);
  });
});
