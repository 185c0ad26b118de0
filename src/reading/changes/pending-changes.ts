import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import { withoutTracking } from '../../api/tracking-metadata.ts';
import { defined } from '../../base/defined.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type ConfigRef, configKey } from '../../workloads/configs/config-ref.ts';
import type { Workload } from '../../workloads/workload.ts';
import { ifReadable } from '../if-readable.ts';
import { ReadingError } from '../reading-error.ts';
import { mayNotRead } from '../snapshot.ts';
import { type FieldDifference, fieldDifferences } from './field-differences.ts';

/** `--selector-labels` of the controller, by default. */
export const SELECTOR_LABELS = ['app', 'name', 'app.kubernetes.io/name'];

/** Changes that a promotion of the target would make in the primary now, by the rendering that a promotion writes. */
export function pendingChanges(
  canary: Canary,
  workload: Workload,
  { target, primary, selectorLabels = SELECTOR_LABELS }: { target: KubeObject; primary: KubeObject; selectorLabels?: readonly string[] },
): FieldDifference[] {
  const selector = workload.selectors({ target, primary }, selectorLabels);
  if ('problem' in selector) throw new ReadingError('no', selector.problem);
  const revision = workload.carries(primary) ?? '';
  const configs = new Map(readPairs(workload, target, primary).map(({ source, copy }) => [configKey(source), copy.name]));
  const options = { selector, selectorLabels, includeLabelPrefix: [], revision, replicas: workload.replicas(primary), configs };
  const wanted = workload.primaryTemplate(canary, target, options);
  const held = workload.promotedPart(primary);
  if (workload.templateMatches(primary, wanted) === undefined) return [];
  return fieldDifferences(slim(held), slim(wanted)).filter(({ field }) => !field.includes(revisionAnnotation));
}

interface Pair {
  source: ConfigRef;
  copy: ConfigRef;
}

/** Which copy the primary reads for each config of the target. */
function readPairs(workload: Workload, target: KubeObject, primary: KubeObject): Pair[] {
  const held = workload.configs?.(primary) ?? [];
  return (workload.configs?.(target) ?? []).flatMap((source) => {
    const copy = held.find(({ kind, name }) => kind === source.kind && isCopyOf(name, source.name));
    return copy ? [{ source, copy }] : [];
  });
}

/** Tests for the name of a copy; a long name is shortened before the mark. */
function isCopyOf(name: string, source: string): boolean {
  const [, before] = /^(.+)-primary(-[0-9a-f]{10}|-absent)?$/.exec(name) ?? [];
  return before !== undefined && (source === before || (before.length > 150 && source.startsWith(before.slice(0, 150))));
}

/**
 * Entries of the target's ConfigMaps and Secrets that differ from the copies that the primary reads. Values are not shown: logs of pipelines contain this
 * output, and a ConfigMap can also contain a password.
 */
export async function pendingConfigChanges(
  cluster: Pick<Cluster, 'get'>,
  namespace: string,
  workload: Workload,
  { target, primary }: { target: KubeObject; primary: KubeObject },
): Promise<{ changes: FieldDifference[]; hidden: string[] }> {
  const hidden: string[] = [];
  const changes: FieldDifference[] = [];
  for (const { source, copy } of readPairs(workload, target, primary)) {
    const label = `${source.kind} ${source.name}`;
    const pair = [source, copy].map(({ kind, name }) => cluster.get({ apiVersion: 'v1', kind, name, namespace }));
    const [now, before] = await ifReadable(Promise.all(pair), [], () => hidden.push(mayNotRead(label)));
    for (const each of fieldDifferences(contentOf(before), contentOf(now)))
      changes.push({ ...withoutValues(each), field: `${label}: ${each.field}` });
  }
  return { changes, hidden };
}

const contentOf = (object: KubeObject | undefined): object => ({ data: object?.data ?? {}, binaryData: object?.binaryData ?? {} });

function withoutValues({ field, promoted, target }: FieldDifference): FieldDifference {
  return defined({ field, promoted: promoted && '(not shown)', target: target && '(not shown)' });
}

/** Without what tools write into templates to track them, which no promotion takes over. */
function slim(spec: object): object {
  const { template, ...rest } = structuredClone(spec) as { template?: { metadata?: { annotations?: Record<string, string> } } };
  if (template?.metadata?.annotations) template.metadata.annotations = withoutTracking(template.metadata.annotations);
  return { ...rest, ...(template ? { template } : {}) };
}
