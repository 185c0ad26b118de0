import type { KubeObject } from '../../api/kube-object.ts';
import { validateObject } from './admission.ts';
import type { CelRules } from './cel.ts';
import { prepareDefinition } from './custom-resource-definition.ts';
import { applyBuiltinDefaults } from './defaults.ts';
import { isEqual, isRecord, type RawObject } from './json.ts';
import { applyDefaults } from './prune.ts';
import type { Resource } from './resources.ts';
import type { ServiceAddresses } from './service-addresses.ts';
import { invalid, required } from './status.ts';
import { validate } from './validate.ts';

interface CompletionDeps {
  cel: CelRules;
  addresses: ServiceAddresses;
  time(): string;
}

/** Steps between a decoded object and the store: defaults, then validation. */
export function completeObject(resource: Resource, object: KubeObject, live: KubeObject | undefined, parts: CompletionDeps): void {
  applyDefaults(object, resource.schema);
  if (!resource.custom) {
    const missing = validate(object, resource.schema, '').filter(
      ({ reason, field }) => reason === 'FieldValueRequired' && field?.startsWith('spec'),
    );
    const isWorkload = object.apiVersion.startsWith('apps/') && resource.schema.properties?.spec !== undefined;
    if (missing.length === 0 && isWorkload && !isRecord(object.spec)) missing.push(required('spec'));
    if (missing.length > 0) throw invalid(resource, object.metadata.name, missing);
    applyBuiltinDefaults(object);
  } else {
    const causes = validate(object, resource.schema, '').filter(({ field }) => !field?.startsWith('metadata.'));
    if (causes.length === 0) causes.push(...parts.cel.check(object, live, resource.schema));
    if (causes.length > 0) throw invalid(resource, object.metadata.name, causes);
  }
  if (resource.storeKey === 'apps/daemonsets') countTemplate(object, live);
  validateObject(resource, object, live);
  if (resource.storeKey === '/services') parts.addresses.admit(object, live);
  if (resource.kind === 'CustomResourceDefinition' && !resource.custom) prepareDefinition(object, parts.time());
}

/** Only the server counts the templates of a DaemonSet, in an annotation since apps/v1 has no field for it; clients cannot set it. */
function countTemplate(object: RawObject, live: RawObject | undefined): void {
  const key = 'deprecated.daemonset.template.generation';
  const before = Number(live?.metadata.annotations?.[key] ?? 0);
  const isNew = live === undefined || !isEqual(live.spec?.template, object.spec?.template);
  object.metadata.annotations = { ...object.metadata.annotations, [key]: String(isNew ? before + 1 : before) };
}
