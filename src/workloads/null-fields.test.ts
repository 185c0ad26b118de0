import { expect, it } from 'vitest';
import { recordedIdle } from '../../test/fakes/recorded-idle.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { remembered } from './index.ts';

/** Go writes an empty list as null where the field is not `omitempty`: `endpoints` and `ports` of an EndpointSlice are not. */
function listsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [[...path]] : [];
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => listsIn(inner, [...path, key]))];
}

function withNull(object: KubeObject, path: readonly string[]): KubeObject {
  const copy = structuredClone(object);
  const parent = path.slice(0, -1).reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, copy);
  parent[path.at(-1) ?? ''] = null;
  return copy;
}

const kinds = new Map(
  Object.values(recordedIdle('0.1.0')).flatMap((objects) => objects.map((object) => [`${object.apiVersion} ${object.kind}`, object])),
);

it.each([...kinds])('a watched %s is kept whichever of its lists is null', (_, object) => {
  const failures = listsIn(object).flatMap((path) => {
    try {
      remembered(withNull(object, path));
      return [];
    } catch (error) {
      return `${path.join('.')}: ${error}`;
    }
  });
  expect(failures).toEqual([]);
});
