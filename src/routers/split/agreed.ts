import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';

interface Read {
  /** Absent for the object that Serin has made. */
  found?: KubeObject;
  routes: Routes | UnreadableRoutes | undefined;
}

/** The routes that all of these hold: a share counts once each of them has it. Undefined where one leads to the application whole. */
export function agreed(all: readonly Read[]): Routes | UnreadableRoutes | undefined {
  const [first] = all;
  const unsaid = all.find(({ routes }) => routes === undefined || 'unreadable' in routes);
  if (unsaid || first === undefined) return unsaid?.routes;
  const other = all.find(({ routes }) => !isDeepStrictEqual(routes, first.routes));
  if (other === undefined) return first.routes;
  return { unreadable: `${nameOf(first)} and ${nameOf(other)} do not agree on one weight` };
}

const nameOf = ({ found }: Read): string => (found ? `${found.kind} ${found.metadata.name}` : 'the generated route');
