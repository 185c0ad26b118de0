import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { fieldManager, names, ownerAnnotation, promotedScalerAnnotation } from '../../api/names.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';
import { scalerFor } from '../../workloads/scalers/index.ts';
import { ownSpec, raisedAnnotation } from '../../workloads/scalers/raised-minimum.ts';
import { ifReadable } from '../if-readable.ts';
import { mayNotRead } from '../snapshot.ts';
import { type FieldDifference, fieldDifferences } from './field-differences.ts';

/** Changes from the user's scaler that the next promotion, and nothing earlier, applies to the primary's scaler. */
export async function pendingScalerChanges(
  cluster: Pick<Cluster, 'get'>,
  canary: Canary,
): Promise<{ changes: FieldDifference[]; hidden: string[] }> {
  const { autoscalerRef, targetRef } = canary.spec;
  const { primaryScaler } = names(canary);
  if (!autoscalerRef || !primaryScaler || targetRef.kind !== 'Deployment') return { changes: [], hidden: [] };
  const { namespace } = canary.metadata;
  const scaler = scalerFor(autoscalerRef);
  const { apiVersion, kind } = scaler;
  const hidden: string[] = [];
  const pair = [autoscalerRef.name, primaryScaler].map((name) => cluster.get({ apiVersion, kind, name, namespace }));
  const [own, primary] = await ifReadable(Promise.all(pair), [], () => hidden.push(mayNotRead(kind)));
  if (!own || !primary) return { changes: [], hidden };
  const { object } = scaler.renderPrimary(canary, own);
  const changes = fieldDifferences(heldOf(primary, object), compared(object));
  return { changes: changes.map((each) => ({ ...each, field: `${kind} ${primaryScaler}: ${each.field}` })), hidden };
}

const compared = ({ metadata: { labels = {}, annotations = {} }, ...rest }: KubeObject) => ({
  metadata: { labels, annotations: without(annotations) },
  spec: specOf<JsonRecord>(rest as KubeObject),
});

/** Fields of the primary's scaler that are rendered or that an earlier promotion applied: the rest belongs to other writers. */
function heldOf(primary: KubeObject, rendered: KubeObject) {
  const applied = entriesOf(primary).find(({ manager, operation }) => manager === fieldManager && operation === 'Apply')?.fieldsV1;
  const wanted = compared(rendered);
  const { labels = {}, annotations = {} } = primary.metadata;
  return {
    metadata: {
      labels: picked(labels, wanted.metadata.labels, fieldsOf(applied, 'metadata', 'labels')),
      annotations: without(picked(annotations, wanted.metadata.annotations, fieldsOf(applied, 'metadata', 'annotations'))),
    },
    spec: picked(ownSpec(primary), wanted.spec, fieldsOf(applied, 'spec')),
  };
}

function without<Value>(annotations: Record<string, Value>): Record<string, Value> {
  const { [ownerAnnotation]: _owner, [raisedAnnotation]: _raised, [promotedScalerAnnotation]: _promoted, ...rest } = annotations;
  return rest;
}

function picked<Value>(held: Record<string, Value>, wanted: object, applied: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(held).filter(([key]) => key in wanted || applied.includes(key)));
}

/** Names of the fields below a path of a field set. */
function fieldsOf(set: unknown, ...path: readonly string[]): string[] {
  const [next, ...rest] = path;
  if (!isRecord(set)) return [];
  if (next !== undefined) return fieldsOf(set[`f:${next}`], ...rest);
  return Object.keys(set).flatMap((key) => (key.startsWith('f:') ? key.slice(2) : []));
}
