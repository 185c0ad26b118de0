import { disruptionBudgetCauses } from './disruption-budget.ts';
import { clone, isEqual, isRecord, type Json, type RawObject } from './json.ts';
import { labelKey, labelValue } from './label-selector.ts';
import { networkPolicyCauses } from './network-policy.ts';
import { containerPortCauses, portsOf, servicePortCauses } from './ports.ts';
import type { Resource } from './resources.ts';
import { duplicateValue, forbiddenValue, invalid, invalidValue, required, type StatusCause } from './status.ts';

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Kinds whose name is a DNS label (RFC 1123 or 1035), not a subdomain. */
const namedByLabel = new Set(['/services', '/namespaces']);
/** RBAC names are path segments: `system:node` is one. */
const freelyNamed = new Set(['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings']);

function nameCauses(resource: Resource, name: string): StatusCause[] {
  const unless = (isValid: boolean, why: string): StatusCause[] => (isValid ? [] : [invalidValue('metadata.name', name, why)]);
  if (resource.group === 'rbac.authorization.k8s.io' && freelyNamed.has(resource.plural))
    return unless(!/[/%]/.test(name) && name !== '.' && name !== '..', "may not contain '/' or '%'");
  if (namedByLabel.has(resource.storeKey)) {
    const isService = resource.plural === 'services';
    const standard = isService ? 'a DNS-1035 label' : 'a lowercase RFC 1123 label';
    return unless(
      label.test(name) && (!isService || /^[a-z]/.test(name)),
      `${standard} must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`,
    );
  }
  return unless(
    name.length <= 253 && subdomain.test(name),
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  );
}

function metadataCauses(resource: Resource, object: RawObject): StatusCause[] {
  const { name, labels = {}, ownerReferences = [] } = object.metadata;
  const causes = nameCauses(resource, name);
  const refuseLabel = (text: string, why: string): void => void causes.push(invalidValue('metadata.labels', text, why));
  for (const [key, value] of Object.entries(labels)) {
    if (key.length > 317 || !labelKey.test(key)) refuseLabel(key, 'name part must consist of alphanumeric characters');
    if (value.length > 63) refuseLabel(value, 'must be no more than 63 bytes');
    else if (!labelValue.test(value))
      refuseLabel(value, "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'");
  }
  for (const [index, owner] of ownerReferences.entries())
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const)
      if (!owner[field]) causes.push(required(`metadata.ownerReferences[${index}].${field}`));
  if (ownerReferences.filter((owner) => owner.controller === true).length > 1)
    causes.push(invalidValue('metadata.ownerReferences', '', 'Only one reference can have Controller set to true'));
  return causes;
}

/** Built-in rules beyond the schema. Refuses with 422. */
export function validateObject(resource: Resource, object: RawObject, before: RawObject | undefined): void {
  const causes = metadataCauses(resource, object);
  if (before !== undefined) causes.push(...immutableCauses(resource, object, before));
  if (!resource.custom) causes.push(...kindCauses(resource, object));
  if (causes.length > 0) throw invalid(resource, object.metadata.name, causes);
}

function kindCauses(resource: Resource, object: RawObject): StatusCause[] {
  const { storeKey } = resource;
  if (storeKey.startsWith('apps/') && isRecord(object.spec?.template)) return workloadCauses(object);
  if (storeKey === '/pods') return containerCauses(object.spec, 'spec');
  if (storeKey === '/services') return servicePortCauses(object.spec ?? {});
  if (storeKey === 'networking.k8s.io/networkpolicies') return networkPolicyCauses(object.spec ?? {});
  if (storeKey === 'policy/poddisruptionbudgets') return disruptionBudgetCauses(object.spec ?? {});
  return [];
}

function workloadCauses(object: RawObject): StatusCause[] {
  const causes = containerCauses(object.spec.template.spec, 'spec.template.spec');
  const { replicas, selector, template } = object.spec;
  if (typeof replicas === 'number' && replicas < 0)
    causes.push(invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'));
  const wanted = Object.entries(selector?.matchLabels ?? {});
  const empty = wanted.length === 0 && (selector?.matchExpressions ?? []).length === 0;
  if (empty) causes.push(invalidValue('spec.selector', selector ?? {}, 'empty selector is invalid for deployment'));
  const labels = template.metadata?.labels ?? {};
  if (wanted.some(([key, value]) => labels[key] !== value))
    causes.push(invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  return causes;
}

function containerCauses(spec: Json, path: string): StatusCause[] {
  const containers: Json[] = Array.isArray(spec?.containers) ? spec.containers : [];
  if (containers.length === 0) return [required(`${path}.containers`)];
  const names = new Set<string>();
  return containers.flatMap((container, index) => {
    const at = `${path}.containers[${index}]`;
    const causes: StatusCause[] = [];
    if (!container.name) causes.push(required(`${at}.name`));
    else if (names.has(container.name)) causes.push(duplicateValue(`${at}.name`, container.name));
    names.add(container.name);
    if (!container.image) causes.push(required(`${at}.image`));
    return [...causes, ...containerPortCauses(portsOf(container), `${at}.ports`)];
  });
}

const fixed: Record<string, readonly string[]> = {
  'apps/deployments': ['selector'],
  'apps/replicasets': ['selector'],
  'apps/daemonsets': ['selector'],
  'apps/statefulsets': ['selector', 'serviceName', 'podManagementPolicy', 'volumeClaimTemplates'],
};

function immutableCauses(resource: Resource, object: RawObject, before: RawObject): StatusCause[] {
  const { storeKey } = resource;
  const why = 'field is immutable';
  const causes = (fixed[storeKey] ?? [])
    .filter((field) => !isEqual(object.spec?.[field], before.spec?.[field]))
    .map((field) => invalidValue(`spec.${field}`, object.spec?.[field], why));
  if (storeKey === 'apps/controllerrevisions' && !isEqual(object.data, before.data)) causes.push(invalidValue('data', object.data, why));
  if (storeKey === 'discovery.k8s.io/endpointslices' && object.addressType !== before.addressType)
    causes.push(invalidValue('addressType', object.addressType, why));
  const { clusterIP } = object.spec ?? {};
  if (storeKey === '/services' && before.spec?.clusterIP && object.spec?.type !== 'ExternalName' && clusterIP !== before.spec.clusterIP)
    causes.push(invalidValue('spec.clusterIPs[0]', [clusterIP], 'may not change once set'));
  if ((storeKey === '/configmaps' || storeKey === '/secrets') && before.immutable === true)
    if (!isEqual(object.data, before.data) || object.immutable !== true)
      causes.push(forbiddenValue('data', 'field is immutable when `immutable` is set'));
  if (storeKey === '/pods') causes.push(...changedPodCauses(object, before));
  if (before.metadata.deletionTimestamp !== undefined) {
    const added = (object.metadata.finalizers ?? []).filter((name) => !before.metadata.finalizers?.includes(name));
    const names = added.map((name) => JSON.stringify(name)).join(', ');
    const rule = 'no new finalizers can be added if the object is being deleted';
    if (added.length > 0) causes.push(forbiddenValue('metadata.finalizers', `${rule}, found new finalizers []string{${names}}`));
  }
  return causes;
}

function changedPodCauses(object: RawObject, before: RawObject): StatusCause[] {
  const why =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  const gatesOf = ({ spec }: RawObject): string[] => (spec?.schedulingGates ?? []).map(({ name }: { name: string }) => name);
  const known = new Set(gatesOf(before));
  // Scheduling gates are set when a pod is created; afterwards they can only be removed.
  const added = gatesOf(object).filter((name) => !known.has(name));
  return [
    ...(isEqual(fixedPodSpec(object), fixedPodSpec(before)) ? [] : [forbiddenValue('spec', why)]),
    ...added.map((name) => forbiddenValue('spec.schedulingGates', `only deletion is allowed, but found new scheduling gate '${name}'`)),
  ];
}

function fixedPodSpec(pod: RawObject): Json {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    terminationGracePeriodSeconds: _grace,
    schedulingGates: _gates,
    ...spec
  } = clone(pod.spec ?? {});
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) delete container.image;
  return spec;
}
