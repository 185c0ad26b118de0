import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../base/json.ts';
import { newlyCounted } from '../../controller/facts/target-configs.ts';
import { secretPermissionsFor } from '../../controller/permissions.ts';
import type { ConfigRef } from '../../workloads/configs/config-ref.ts';
import { secretsPolicy } from '../../workloads/configs/read-configs.ts';
import { configMapPermissions, takeOverPermissions } from '../../workloads/permissions.ts';
import type { Workload } from '../../workloads/workload.ts';
import { type Need, needs } from './need.ts';
import type { RightsSettings } from './settings.ts';

/** The target of a Canary: as the files have it, or undefined where they have not. */
export interface Target {
  namespace: string;
  workload: Workload;
  object: KubeObject | undefined;
  /** Such as `Canary web`. */
  by: string;
}

/** Rules by which the ConfigMaps and Secrets that a target reads are tracked. */
export function configNeeds(target: Target, settings: RightsSettings): Need[] {
  const { namespace, workload, object, by } = target;
  const { config, takeOver } = settings;
  if (!config.enableConfigTracking || workload.configs === undefined) return [];
  const { mode, names } = secretsPolicy(config, namespace);
  const counted = object && newlyCounted(configsOf(workload, object), config, namespace);
  const has = (kind: ConfigRef['kind']) => counted === undefined || counted.some((one) => one.kind === kind);
  const why = counted === undefined ? `${by}, whose target is not among the files` : by;
  const ofConfigMaps = has('ConfigMap') ? [...configMapPermissions, ...(takeOver ? [takeOverPermissions.configMaps] : [])] : [];
  const secretsNames =
    counted === undefined ? names : names.filter((name) => counted.some((one) => one.kind === 'Secret' && one.name === name));
  const ofSecrets =
    mode !== 'off' && has('Secret')
      ? secretPermissionsFor({ configTracking: true, takeOver, secretsMode: mode, secretsNames, secretsReferences: true })
      : [];
  return needs(namespace, [...ofConfigMaps, ...ofSecrets], why);
}

/** A manifest needs fewer fields than an object of a cluster: without a pod template it reads nothing. */
function configsOf(workload: Workload, object: KubeObject): readonly ConfigRef[] {
  const { spec } = object;
  return isRecord(spec) && isRecord(spec.template) ? (workload.configs?.(object) ?? []) : [];
}
