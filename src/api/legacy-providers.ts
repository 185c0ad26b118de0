import type { Canary, Provider } from './canary.ts';
import { meshProviderNote } from './mesh-provider.ts';
import { factsOf } from './providers.ts';

/** Deprecation notice for a provider, or for the name that a Canary gives it. */
export function endedProvider({ spec }: Pick<Canary, 'spec'>, provider: Provider): string | undefined {
  return factsOf(provider).ended ?? (spec.provider && meshProviderNote(spec.provider));
}
