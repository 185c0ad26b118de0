import { error, type Finding } from '../../../api/finding.ts';
import { type CanaryItem, type Manifests, perCanary } from '../manifests.ts';

/** Traffic providers whose objects the cluster does not know: nothing is routed, and no primary gets traffic. */
export const unservedProviders = perCanary(unserved);

function* unserved({ provider }: CanaryItem, manifests: Manifests): Generator<Finding> {
  for (const kind of (provider && manifests.unserved.get(provider)) ?? [])
    yield error(
      'spec.provider',
      `is ${provider}, and the cluster has no ${kind}: install its CustomResourceDefinition, or correct the provider`,
    );
}
