import * as z from 'zod';
import { type Canary, type NamedProvider, Provider, providers } from './canary.ts';
import { factsOf } from './providers.ts';

type SmiProvider = Extract<Provider, `smi:${string}`>;
/** The provider of Canaries without `spec.provider`. An SMI version can name its mesh, which `spec.provider` cannot. */
export type MeshProvider = Provider | `${SmiProvider}:${'istio' | 'linkerd'}`;

/** Default of the flag, as in Flagger. */
export const DEFAULT_MESH_PROVIDER = 'istio';

/** Further values of the flag, with the provider whose permissions they need. */
export const providerByMesh: Readonly<Record<string, Provider>> = {
  ...Object.fromEntries(providers.filter(isSmi).flatMap((smi) => ['istio', 'linkerd'].map((mesh) => [`${smi}:${mesh}`, smi]))),
  'gatewayapi:v1alpha2': 'gatewayapi:v1',
};

/** Accepts the values of Flagger's `-mesh-provider`, except a value that Flagger would treat as Istio (DF84). */
export const MeshProvider = z.string().transform((text, context): MeshProvider => {
  const known = meshProviderOf(text);
  if (known === undefined) context.addIssue({ code: 'custom', message: unknownProvider(text) });
  return known ?? 'istio';
});

/** Undefined for an unknown value. A mesh that changes nothing is left out. */
export function meshProviderOf(text: string): MeshProvider | undefined {
  if (text === 'gatewayapi:v1alpha2') return 'gatewayapi:v1';
  if (text.startsWith('gloo:')) return 'gloo';
  const [, smi = text, mesh] = /^(smi:[^:]+):(.+)$/.exec(text) ?? [];
  const provider = providers.find((one) => one === smi);
  if (mesh === undefined || provider === undefined) return provider;
  return isSmi(provider) && (mesh === 'istio' || mesh === 'linkerd') ? `${provider}:${mesh}` : provider;
}

/** The provider of routes, without the mesh: `smi:v1alpha1:linkerd` is `smi:v1alpha1`. */
export function providerOf(named: MeshProvider | NamedProvider): Provider {
  return Provider.parse((meshProviderOf(named) ?? named).replace(/:(?:istio|linkerd)$/, ''));
}

/** Flagger queries Linkerd's metrics for every Canary if the mesh is Linkerd, also if another provider routes its traffic. */
export function observedProvider(named: NamedProvider | undefined, mesh: MeshProvider): Provider;
export function observedProvider(named: NamedProvider | undefined, mesh: MeshProvider | undefined): Provider | undefined;
export function observedProvider(named: NamedProvider | undefined, mesh: MeshProvider | undefined): Provider | undefined {
  if (named === undefined) return mesh && providerOf(mesh);
  return mesh?.includes('linkerd') ? 'linkerd' : providerOf(named);
}

/** Deprecation notice for an API version or an adapter that the flag or the field names. */
export function meshProviderNote(text: string): string | undefined {
  if (text === 'gatewayapi:v1alpha2') return 'the Gateway API serves v1alpha2 no more: gatewayapi:v1 is used, so write that';
  if (/^smi:.*:istio$/.test(text)) return 'the SMI adapter of Istio is archived: move to istio or gatewayapi:v1';
  return undefined;
}

/** Deprecation notice for a provider, or for its name in a Canary. */
export function endedProvider({ spec }: Pick<Canary, 'spec'>, provider: Provider): string | undefined {
  return factsOf(provider).ended ?? (spec.provider && meshProviderNote(spec.provider));
}

/** The message for an unknown provider: the known ones, or the versions of this one. */
export function unknownProvider(text: string): string {
  const [family = ''] = text.split(':');
  const near = providers.filter((one) => one === family || one.startsWith(`${family}:`));
  // The newest version of the Gateway API is the recommended one.
  const advice = near.length === 0 ? '' : `: write ${family === 'gatewayapi' ? 'gatewayapi:v1' : near.join(', ')}`;
  return `provider ${JSON.stringify(text)} is unknown; known are ${providers.join(', ')}${advice}`;
}

function isSmi(provider: Provider): provider is SmiProvider {
  return provider.startsWith('smi:');
}
