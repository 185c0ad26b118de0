import type { Provider, TargetRef } from '../api/canary.ts';
import { meshProviderOf, providerOf, unknownProvider } from '../api/mesh-provider.ts';
import type { Observer } from '../api/observer.ts';
import * as listed from './definitions.ts';
import type { ProviderDefinition, RouterOptions } from './provider.ts';
import type { Router } from './router.ts';

export { originalConfig } from './original-spec.ts';
export type { RouterOptions } from './provider.ts';
export type { Apex, RouteChange, Router } from './router.ts';
export { ifExpressible, RoutingError } from './routing-error.ts';

/** A value of `spec.provider` without a definition, or the reverse, does not compile. */
const definitions: Record<Provider, ProviderDefinition> & Record<Exclude<keyof typeof listed, Provider>, never> = listed;

export const definitionOf = (provider: Provider): ProviderDefinition => definitions[provider];

/** The sides that the routes of a provider lead to past the apex Service. */
export const routesPastApex = (provider: Provider): readonly ('primary' | 'canary')[] =>
  definitionOf(provider).pastApex ?? ['primary', 'canary'];

export const allDefinitions: readonly ProviderDefinition[] = Object.values(definitions);

/** Each provider's router with the controller's default settings. */
export const routers: Readonly<Record<Provider, Router>> = mapDefinitions(({ router }) => router({}));

/** One value from each provider's definition. */
export function mapDefinitions<T>(pick: (definition: ProviderDefinition) => T): Record<Provider, T> {
  const entries = Object.entries(definitions).map(([provider, definition]) => [provider, pick(definition)]);
  return Object.fromEntries(entries) as Record<Provider, T>;
}

/** The router of a provider; takes any text, as the `--mesh-provider` flag does. An unknown one is refused and never falls back to another. */
export function routerFor(provider: string, options: RouterOptions = {}): Router | { unsupported: string } {
  const known = meshProviderOf(provider);
  if (known === undefined) return { unsupported: unknownProvider(provider) };
  const own = providerOf(known);
  return definitions[own].router(known === own ? options : { ...options, mesh: known.slice(own.length + 1) });
}

/** The built-in queries for a provider and kind of target. Kinds without queries of their own have those of Deployments. */
export function observerFor(provider: Provider, targetKind: TargetRef['kind']): Observer {
  const { observers } = definitionOf(provider);
  return observers[targetKind] ?? observers.Deployment;
}
