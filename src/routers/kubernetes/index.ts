import type { ProviderDefinition } from '../provider.ts';
import { application } from '../queries/application.ts';
import { kubernetesRouter } from './router.ts';

/** `kubernetes` and `none`; both have only Services. */
const servicesProvider: ProviderDefinition = {
  router: () => kubernetesRouter,
  observers: application,
  board: { id: 'kubernetes', title: 'Services of Kubernetes' },
  pastApex: [],
  permissions: [],
};

export { servicesProvider as kubernetes, servicesProvider as none };
