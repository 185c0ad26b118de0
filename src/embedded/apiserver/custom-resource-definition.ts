import { clone, isRecord, type Json, type JsonObject, type RawObject } from './json.ts';
import { invalid, invalidValue, required, type StatusCause, type StatusError } from './status.ts';

/** Checks a CustomResourceDefinition and establishes it at once. */
export function prepareDefinition(crd: RawObject, time: string): void {
  const { group, names, versions } = crd.spec;
  const expected = `${names?.plural}.${group}`;
  const { kind, metadata } = crd;
  const refusal = (cause: StatusCause): StatusError => invalid({ kind, group: 'apiextensions.k8s.io' }, metadata.name, [cause]);
  if (metadata.name !== expected) throw refusal(invalidValue('metadata.name', metadata.name, `must be spec.names.plural+"."+spec.group`));
  const stored = versions.filter((version: Json) => version.storage === true);
  if (stored.length !== 1)
    throw refusal(invalidValue('spec.versions', versions.length, 'must have exactly one version marked as storage version'));
  for (const [index, version] of versions.entries())
    if (!isRecord(version.schema?.openAPIV3Schema))
      throw refusal(required(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required'));
  const since = crd.status?.conditions?.[0]?.lastTransitionTime ?? time;
  const condition = (type: string, reason: string, message: string): JsonObject => ({
    type,
    status: 'True',
    reason,
    message,
    lastTransitionTime: since,
  });
  crd.status = {
    ...crd.status,
    acceptedNames: clone(names),
    storedVersions: [...new Set([...(crd.status?.storedVersions ?? []), stored[0].name])],
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
  };
}
