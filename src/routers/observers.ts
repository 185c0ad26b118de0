import type { Provider, TargetRef } from '../api/canary.ts';
import type { Observer } from '../api/observer.ts';
import { definitionOf } from './index.ts';

/** The built-in queries for a provider and kind of target. Kinds without queries of their own have those of Deployments (05-W10). */
export function observerFor(provider: Provider, targetKind: TargetRef['kind']): Observer {
  const { observers } = definitionOf(provider);
  return observers[targetKind] ?? observers.Deployment;
}
