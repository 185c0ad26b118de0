import { MeshProvider, providerOf } from '../../api/mesh-provider.ts';
import { type CompanionName, companionNames } from '../../workloads/companions/index.ts';
import type { PreflightSettings } from './read-application.ts';

const words = (list: string): string[] =>
  list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** The flags that are the controller's own. */
export function readPreflightSettings(flags: {
  meshProvider?: string | undefined;
  selectorLabels: string;
  companions: string;
}): PreflightSettings | { problem: string } {
  const { meshProvider } = flags;
  const provider = meshProvider === undefined ? undefined : MeshProvider.safeParse(meshProvider);
  if (provider?.success === false) return { problem: `--mesh-provider: ${provider.error.issues[0]?.message ?? 'is not known'}` };
  const companions = words(flags.companions);
  const unknown = companions.find((name) => !companionNames.some((known) => known === name));
  if (unknown !== undefined) return { problem: `--companions: ${unknown} is none of ${companionNames.join(', ')}` };
  return {
    selectorLabels: words(flags.selectorLabels),
    companions: companions as CompanionName[],
    provider: provider && providerOf(provider.data),
  };
}
