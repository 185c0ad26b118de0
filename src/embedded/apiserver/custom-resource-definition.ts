import { clone, isRecord, type Json, type JsonObject, type RawObject } from './json.ts';
import { fieldSchema } from './schema.ts';
import { invalid, invalidValue } from './status.ts';

/** Checks a CustomResourceDefinition and establishes it at once. */
export function prepareDefinition(crd: RawObject, time: string): void {
  const { group, names, versions } = crd.spec;
  const expected = `${names?.plural}.${group}`;
  if (crd.metadata.name !== expected)
    throw invalid(crd.kind, 'apiextensions.k8s.io', crd.metadata.name, [
      invalidValue('metadata.name', crd.metadata.name, `must be spec.names.plural+"."+spec.group`),
    ]);
  if (versions.filter((version: Json) => version.storage === true).length !== 1)
    throw invalid(crd.kind, 'apiextensions.k8s.io', crd.metadata.name, [
      invalidValue('spec.versions', versions.length, 'must have exactly one version marked as storage version'),
    ]);
  for (const [index, version] of versions.entries())
    if (fieldSchema(version, 'schema') === undefined || !isRecord(version.schema?.openAPIV3Schema))
      throw invalid(crd.kind, 'apiextensions.k8s.io', crd.metadata.name, [
        {
          reason: 'FieldValueRequired',
          message: 'Required value: schemas are required',
          field: `spec.versions[${index}].schema.openAPIV3Schema`,
        },
      ]);
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
    storedVersions: [...new Set([...(crd.status?.storedVersions ?? []), versions.find((version: Json) => version.storage === true).name])],
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
  };
}
