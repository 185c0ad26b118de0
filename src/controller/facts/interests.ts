import type { Canary } from '../../api/canary.ts';
import type { ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { routerFor } from '../../routers/index.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { ControllerConfig } from '../config.ts';
import { companionRefs } from './companions.ts';
import { scalerRefs } from './scaling.ts';

/** The objects whose changes wake a Canary of this spec. */
export function watchedBy(canary: Canary, config: ControllerConfig): ObjectRef[] {
  const { namespace } = canary.metadata;
  const own = names(canary);
  const service = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Service', name, namespace });
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  const workload = workloadFor(canary.spec.targetRef);
  return [
    ...('unsupported' in workload ? [] : workload.watches(canary)),
    service(own.apexService),
    service(own.primaryService),
    service(own.canaryService),
    // Without a name, all of them, since any can lead to the target.
    service(''),
    ...('unsupported' in router ? [] : router.watches(canary)),
    // Without a name, all of them.
    ...('unsupported' in router ? [] : (router.surveys?.(canary) ?? []).map((survey) => ({ ...survey, name: '' }))),
    ...scalerRefs(canary),
    ...companionRefs(canary, config),
  ];
}
