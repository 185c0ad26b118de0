import type { Mutant } from './candidates.ts';

/** Reason why no test can notice a mutant. */
export interface Verdict {
  /** Made of file, line, change and its place in the line, without the line's number: it stays when the code around grows. */
  id: string;
  file: string;
  /** The line in which the change begins, without white space around it. */
  within: string;
  /** Replaced text and its replacement. */
  change: readonly [original: string, mutated: string];
  /** It makes no difference, because … */
  equivalent: string;
}

export const verdicts: readonly Verdict[] = [
  {
    id: '01f83a3e',
    file: 'src/controller/deletion/deletions.ts',
    within: 'if (uninstall?.atMs === deletion.uninstall?.atMs && (uninstall === undefined) === (deletion.uninstall === undefined)) return;',
    change: ['the condition', 'false'],
    equivalent: 'the Canary that waits is looked at once more, and a condition that says the same is not written again',
  },
  {
    id: '606ac825',
    file: 'src/controller/deletion/deletions.ts',
    within: 'if (uninstall) deletion.uninstall = uninstall;',
    change: ['uninstall', 'true'],
    equivalent: 'a field that is undefined is read like one that is absent',
  },
  {
    id: '1d86da6b',
    file: 'src/engine/judge-checks.ts',
    within: 'return analysis.threshold > 0 ? analysis.threshold : 1;',
    change: ['0', '1'],
    equivalent: 'a threshold of 1 is 1 on both sides of the condition',
  },
  {
    id: '349be8b1',
    file: 'src/engine/comparison/compared-so-far.ts',
    within: 'cumulative: first.boundsMs.map((_, at) => alike.reduce((sum, one) => sum + (one.cumulative[at] ?? 0), 0)),',
    change: [' ?? 0', ''],
    equivalent: 'windows with other bounds are left out before, so that each has a count for each bound',
  },
  {
    id: '4126bb84',
    file: 'src/engine/journal/open-part.ts',
    within: "if (answer.kind !== 'compare') return false;",
    change: ["answer.kind !== 'compare'", 'false'],
    equivalent: 'concealing an answer keeps its kind: the line only narrows the type',
  },
  {
    id: '99cf18b1',
    file: 'src/controller/random-words.ts',
    within: 'drawn.fill(0, at, at + WORD_BYTES);',
    change: ['0', '(-1)'],
    equivalent: 'the words drawn are overwritten all the same',
  },
  {
    id: 'f824b668',
    file: 'src/controller/telemetry/tick-metrics.ts',
    within: "const labels = series.own(involved, reported, { name, namespace: involved.metadata.namespace ?? '', reason });",
    change: ["''", "'mutant'"],
    equivalent: 'a Canary has a namespace',
  },
  {
    id: '0b72d752',
    file: 'src/controller/status/patch.ts',
    within: 'if (value === undefined) continue;',
    change: ['value === undefined', 'false'],
    equivalent: 'a field that is undefined is not in the JSON that is sent, and one that was stored is named with null below',
  },
  {
    id: '98b184ba',
    file: 'src/routers/appmesh/render.ts',
    within: 'if (!retries) return {};',
    change: ['{}', 'undefined'],
    equivalent: 'the result is spread into an object, and undefined has nothing to spread',
  },
  {
    id: '5925e606',
    file: 'src/workloads/deployment/readiness.ts',
    within: 'const old = (status.replicas ?? 0) - (status.updatedReplicas ?? 0);',
    change: ['0', '1'],
    equivalent: 'a Deployment without a count of pods has no available ones either, and the result is 0 at least',
  },
  {
    id: 'c7e8d35b',
    file: 'src/workloads/core-service/core-service.ts',
    within: "uid: target.object.metadata.uid ?? '',",
    change: [" ?? ''", ''],
    equivalent: 'an object of the API server has a uid',
  },
  {
    id: '0c008274',
    file: 'src/metrics/providers/aws-handler.ts',
    within: "const text = status >= 300 && typeof parseJson(response.body) !== 'object' ? '{}' : response.body;",
    change: ["'{}'", "''"],
    equivalent: "AWS' client reads an empty answer like one without fields",
  },
  {
    id: '3525bdd8',
    file: 'src/metrics/template-run.ts',
    within: '#at = 0;',
    change: ['0', '(-1)'],
    equivalent: 'an action has begun, and set it, before the steps can run out',
  },
  {
    id: '9215507d',
    file: 'src/controller/watch/namespace-configs.ts',
    within: 'const waiting = [...this.#joining].flatMap(([name, handle]) => (handle === undefined ? (this.#shared.get(name) ?? []) : []));',
    change: [' ?? []', ''],
    equivalent: 'a name that joins is shared: wherever it leaves one of them, it leaves both',
  },
  {
    id: 'e8b15d5b',
    file: 'src/controller/outgoing/outgoing-calls.ts',
    within: 'const MESSAGES = { total: 1_024, part: PART, perKey: 192, sure: SURE, mostWaiting: 5_000 };',
    change: ['1_024', '1025'],
    equivalent: 'no one is promised this number of sockets, and one more of a thousand changes nothing for anyone',
  },
  {
    id: 'acfc7d42',
    file: 'src/metrics/providers/signalflow/run-signalflow.ts',
    within: 'let total = 0;',
    change: ['0', '(-1)'],
    equivalent: 'an answer of 1 MiB may have a byte more: the bound is one of memory, and a message counts for 64 bytes at least',
  },
  {
    id: 'a46877f5',
    file: 'src/metrics/counter-history.ts',
    within: "const requests = gained.get('all') ?? 0;",
    change: ['0', '(-1)'],
    equivalent: 'a window without requests is left out, whatever stands for them that is not above 0',
  },
  {
    id: '822f4757',
    file: 'src/engine/journal/replay.ts',
    within: "if (answer.kind !== 'measure' && answer.kind !== 'compare') return { ...entry, answer };",
    change: ["answer.kind !== 'measure' && answer.kind !== 'compare'", 'false'],
    equivalent: 'an answer without counts is copied field by field: the line only narrows the type',
  },
  {
    id: '0148d299',
    file: 'src/metrics/providers/keptn-query.ts',
    within: "const [kind = '', namespace = '', name = '', timeframe = DEFAULT_TIMEFRAME, args = ''] = query.trim().split('/');",
    change: ["''", "'mutant'"],
    equivalent: 'what is split has a first part, so that this default is for the type alone',
  },
  {
    id: '0674cb3e',
    file: 'src/metrics/measure.ts',
    within: "const isCut = window.isCut && (isBuiltin || namesPlaceholder(tooFew ? (metric.trafficQuery ?? '') : query, 'interval'));",
    change: ["''", "'mutant'"],
    equivalent: 'neither text names a placeholder',
  },
  {
    id: '611e8740',
    file: 'src/engine/journal/concealment.ts',
    within: "const queries = 'queries' in answer ? { queries: answer.queries?.slice(0, MOST_QUERIES) } : {};",
    change: ['?.', '.'],
    equivalent: 'an answer that has the field has texts in it: it is never undefined',
  },
  {
    id: 'f90d5482',
    file: 'src/metrics/providers/prometheus-response.ts',
    within: "const [atSeconds, given] = 'value' in series && Array.isArray(series.value) ? series.value : [];",
    change: ['&&', '||'],
    equivalent: 'the schema has checked that a value is an array: the line only narrows the type',
  },
  {
    id: '6929246f',
    file: 'src/engine/journal/concealment.ts',
    within: "return { ...(this.#field('', context) as Context), asks: [] };",
    change: ["''", "'mutant'"],
    equivalent: 'the whole of it has no name: any that is not in the lists does',
  },
  {
    id: 'ba2f5350',
    file: 'src/metrics/template-backend.ts',
    within: "const field = issue?.path.join('.') ?? 'spec';",
    change: ['?.', '.'],
    equivalent: 'an error of a schema has an issue',
  },
  {
    id: 'f145779a',
    file: 'src/routers/gateway-api/conditions.ts',
    within: 'return conditions.toSorted((a, b) => (a.name < b.name ? -1 : 1));',
    change: ['1', '2'],
    equivalent: 'a sort looks at the sign alone',
  },
  {
    id: 'e6afeb01',
    file: 'src/controller/notifications/send-hooks.ts',
    within: "const checksum = delivery.revision ?? canary.status?.release?.revision ?? '';",
    change: ['?.', '.'],
    equivalent: 'a delivery is listed in a release of the status',
  },
  {
    id: 'a1e57d42',
    file: 'src/controller/deletion/deletions.ts',
    within: "const metadata = { name, namespace, uid, generation: 0, resourceVersion: '' };",
    change: ["''", "'mutant'"],
    equivalent: 'a Canary that is known by its anchor alone is gone, or held as it was seen: no write names this version',
  },
  {
    id: 'e46e399c',
    file: 'src/controller/status/writer.ts',
    within: "const { resourceVersion = '' } = answer.metadata;",
    change: ["''", "'mutant'"],
    equivalent: 'an object of the API server has a version',
  },
  {
    id: 'b20dccb2',
    file: 'src/controller/reconcile/reconcile.ts',
    within: 'if (primary && facts.primary?.replicas) context.lastReplicas.set(refKey(refOf(primary.object)), facts.primary.replicas);',
    change: ['?.', '.'],
    equivalent: 'the primary is looked for only where the facts have one',
  },
];

const byId = new Map(verdicts.map((verdict) => [verdict.id, verdict]));

/** The verdict on a mutant, drawn by any seed. */
export const verdictOn = ({ id }: Pick<Mutant, 'id'>): Verdict | undefined => byId.get(id);
