import type { ProviderDefinition } from '../provider.ts';
import { knativeObservers } from './observer.ts';
import { knative } from './router.ts';

export const knativeProvider: ProviderDefinition = {
  router: () => knative,
  observers: knativeObservers,
  // The Service that is the target: its permissions are those of the workload.
  permissions: [],
};
