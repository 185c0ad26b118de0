import type { Canary } from '../../api/canary.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { SelectorLabels } from '../../api/selector-label.ts';
import { followerSelector, originalOf, unfollowPatch } from '../../arrival/followers.ts';
import type { ControllerDeps, DepsOf } from '../controller-deps.ts';
import { giveUpFields } from '../objects/give-up-fields.ts';

/**
 * Services that follow the apex Service of this Canary: Services that lead to its primary, and Services that another writer has led back to its target while
 * their mark stayed.
 */
export function followersOf(canary: Canary, label: SelectorLabels, { view }: Pick<ControllerDeps, 'view'>): KubeObject[] {
  const { namespace } = canary.metadata;
  const { apexService } = names(canary);
  return view.allIn(SERVICE_KIND, namespace).flatMap(({ object }) => {
    const original = originalOf(object);
    if (original === undefined || object.metadata.name === apexService) return [];
    const { [label.key]: value } = specOf<ServiceSpec>(object).selector ?? {};
    return value === label.primary || original[label.key] === label.target ? [object] : [];
  });
}

/** Leads the followers to one side: to their own selector, or as they followed. */
export async function moveFollowers(
  canary: Canary,
  label: SelectorLabels,
  side: 'target' | 'primary',
  deps: DepsOf<'cluster' | 'view'>,
): Promise<void> {
  const { cluster, view, signal } = deps;
  await view.ready({ ...SERVICE_KIND, namespace: canary.metadata.namespace });
  for (const service of followersOf(canary, label, deps)) {
    const patch = side === 'target' ? unfollowPatch(service, label) : backPatch(service, label);
    const written = patch && (await cluster.patch(refOf(service), patch, { signal }));
    if (written) view.learn(side === 'target' ? await giveUpFields({ cluster, signal }, written) : written);
  }
}

function backPatch(service: KubeObject, label: SelectorLabels): Record<string, unknown> | undefined {
  const { resourceVersion } = service.metadata;
  const { selector = {} } = specOf<ServiceSpec>(service);
  if (selector[label.key] === label.primary) return undefined;
  return { metadata: { resourceVersion }, spec: { selector: followerSelector({}, label) } };
}
