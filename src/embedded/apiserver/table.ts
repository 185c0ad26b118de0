import type { KubeObject } from '../../api/kube-object.ts';
import { age, ageOf, type CellValue, columnsByStore, nameColumn, type TableColumn } from './builtin-columns.ts';
import { isRecord, type Json, type JsonObject, valueAtPath } from './json.ts';
import type { Resource } from './resources.ts';

function columnsOf(resource: Resource): readonly TableColumn[] {
  if (!resource.custom) return columnsByStore[resource.storeKey] ?? [nameColumn, age];
  if (resource.columns.length === 0) return [nameColumn, age];
  return [
    nameColumn,
    ...resource.columns.map(({ jsonPath, ...shown }) => ({
      priority: 0,
      ...shown,
      cell: (object: KubeObject, now: number): CellValue => {
        const found = jsonPathValue(object, jsonPath);
        if (shown.type === 'date') return found === undefined ? null : ageOf(found, now);
        return isRecord(found) || Array.isArray(found) ? JSON.stringify(found) : ((found as CellValue | undefined) ?? null);
      },
    })),
  ];
}

/** The part of JSONPath that printer columns use: fields, indexes and `[?(@.type=="Ready")]`. */
function jsonPathValue(object: unknown, path: string): Json {
  let at: Json = object;
  for (const [, quoted, field, index, filter, wanted] of path.matchAll(
    /\['([^']+)'\]|\.((?:\\.|[^.[\]\\])+)|\[(\d+)\]|\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\]/g,
  )) {
    if (index !== undefined) at = Array.isArray(at) ? at[Number(index)] : undefined;
    else if (filter !== undefined) at = Array.isArray(at) ? at.find((item) => valueAtPath(item, filter) === wanted) : undefined;
    else at = isRecord(at) ? at[(quoted ?? field ?? '').replaceAll('\\.', '.')] : undefined;
  }
  return at;
}

export function partialMetadata(object: KubeObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

/** Table that kubectl prints. `include`: `None`, `Metadata` or `Object` beside the cells; `now`: epoch milliseconds. */
export function table(resource: Resource, objects: readonly KubeObject[], metadata: JsonObject, include: string, now: number): JsonObject {
  const columns = columnsOf(resource);
  const columnDefinitions = columns.map(({ cell: _cell, ...shown }) => ({ format: '', description: '', ...shown }));
  const rows = objects.map((object) => ({
    cells: columns.map(({ cell }) => cell(object, now)),
    ...(include === 'None' ? {} : { object: include === 'Object' ? object : partialMetadata(object) }),
  }));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows };
}
