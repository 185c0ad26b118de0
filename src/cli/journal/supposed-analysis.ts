import { isDeepStrictEqual } from 'node:util';
import { Analysis, type Canary, type Metric, type Webhook } from '../../api/canary.ts';
import type { Verdict } from '../../api/canary-status.ts';
import { crds, schemaOf } from '../../api/crds.ts';
import { findings } from '../../api/findings.ts';
import { fieldPath } from '../../base/field-path.ts';
import { isRecord } from '../../base/json.ts';
import { mergeJson } from '../../base/json-merge.ts';
import { keptIn } from '../../base/once.ts';
import { comparedMetrics, isGate } from '../../engine/comparison/compared-metrics.ts';
import type { JournalAnswer } from '../../engine/journal/journal-part.ts';
import type { Unfit } from '../../engine/journal/replay.ts';
import type { SupposedAnalysis } from '../../engine/journal/suppose.ts';
import { builtinKind } from '../../metrics/built-in.ts';
import { judgeMeasurement } from '../../metrics/judge-measurement.ts';
import { usageError } from '../output/exit-codes.ts';
import { unknownFields } from '../validate/unknown-fields.ts';

/** A merge patch of spec.analysis (RFC 7386), or all of it. */
export type AnalysisChange = { patch: Record<string, unknown> } | { whole: Record<string, unknown> };

/** Fields of a metric that decide which query runs, and when. */
const ASKED = [
  'interval',
  'query',
  'templateRef',
  'templateVariables',
  'trafficQuery',
  'minimumRequests',
  'quantile',
  'wholeMilliseconds',
  'initialDelay',
] as const satisfies (keyof Metric)[];

/** Judges a journal again under a changed analysis. The result of a query that did not run then is unknown, and never guessed. */
export function supposedAnalysis(change: AnalysisChange): SupposedAnalysis {
  checkFields(change);
  const known = new Map<string, Analysis>();
  /** Parsed once for each spec that the release had. */
  const changed = (canary: Canary): Analysis => keptIn(known, JSON.stringify(canary.spec.analysis), () => changedAnalysis(canary, change));
  return {
    facts: (facts) => ({ ...facts, canary: { ...facts.canary, spec: { ...facts.canary.spec, analysis: changed(facts.canary) } } }),
    answer(answer, { was, is }) {
      const [before, after] = [was.canary.spec.analysis, is.canary.spec.analysis];
      // The interval decides when anything is measured.
      if (before.interval !== after.interval)
        return { unfit: `analysis.interval is ${after.interval}, and was ${before.interval}: nothing was measured at those times` };
      const uncounted = isGate(after) ? uncountedBy(before, after) : undefined;
      if (uncounted !== undefined) return { unfit: uncounted };
      if (answer.kind === 'measure') return remeasured(answer, before.metrics ?? [], after.metrics ?? []);
      return answer.kind === 'runHooks' ? recalled(answer, before.webhooks ?? [], after.webhooks ?? []) : answer;
    },
  };
}

/** A field with a typing error would change nothing, and the answer would be wrong. */
function checkFields(change: AnalysisChange): void {
  const crd = crds().find(({ spec }) => spec.names.kind === 'Canary');
  const analysis = 'patch' in change ? change.patch : change.whole;
  const object = { apiVersion: '', kind: '', metadata: { name: '' }, spec: { analysis } };
  const [unknown] = crd ? unknownFields(object, schemaOf(crd), 'error').filter(({ path }) => path.startsWith('spec.')) : [];
  if (unknown) throw usageError(`${unknown.path} ${unknown.message}`);
}

function changedAnalysis(canary: Canary, change: AnalysisChange): Analysis {
  const merged = 'whole' in change ? change.whole : mergeJson(canary.spec.analysis, change.patch);
  const parsed = Analysis.safeParse(merged);
  const [issue] = parsed.error?.issues ?? [];
  if (!parsed.success) throw usageError(`spec.${fieldPath(['analysis', ...(issue?.path ?? [])])}: ${issue?.message}: correct it in --with`);
  const faults = (analysis: Analysis) =>
    findings({ ...canary, spec: { ...canary.spec, analysis } }, { provider: 'istio' }).filter(
      ({ severity, path }) => severity === 'error' && path.startsWith('spec.analysis'),
    );
  // The journal's own have no addresses, for example.
  const had = faults(canary.spec.analysis).map(({ message }) => message);
  const fault = faults(parsed.data).find(({ message }) => !had.includes(message));
  if (fault) throw usageError(`${fault.path} ${fault.message}`);
  return parsed.data;
}

/** The problem, if a gate compares something that the journal has no counts of. */
function uncountedBy(before: Analysis, after: Analysis): string | undefined {
  const had = comparedMetrics(before);
  for (const { name, latency, limits } of comparedMetrics(after)) {
    const was = had.find((one) => one.name === name);
    if (was === undefined) return `metric ${name} was not counted: the release had no comparison by it`;
    // They decide which buckets are read.
    if (latency && was.limits !== limits) return `metric ${name} has other limits, and was not counted by them`;
    const templateOf = ({ metrics = [] }: Analysis) => metrics.find((one) => one.compare && one.name === name)?.templateRef;
    if (!isDeepStrictEqual(templateOf(before), templateOf(after)))
      return `metric ${name} has another templateRef, and was not counted by that`;
  }
  return undefined;
}

type Measured = Extract<JournalAnswer, { kind: 'measure' }>;
type Called = Extract<JournalAnswer, { kind: 'runHooks' }>;

function remeasured(answer: Measured, before: readonly Metric[], after: readonly Metric[]): Measured | Unfit {
  if (isDeepStrictEqual(before, after)) return answer;
  const verdicts: Verdict[] = [];
  for (const metric of after) {
    const old = before.filter(({ name }) => name === metric.name);
    const found = answer.verdicts.filter(({ check }) => check === metric.name);
    const [was, verdict] = [old[0], found[0]];
    if (!was || !verdict) return { unfit: `metric ${metric.name} was not measured` };
    if (old.length > 1 || found.length > 1)
      return { unfit: `several checks are called ${metric.name}, and a journal does not say which is which` };
    const judged = rejudged(verdict, was, metric);
    if ('unfit' in judged) return judged;
    verdicts.push(judged);
  }
  return { ...answer, verdicts };
}

function rejudged(verdict: Verdict, was: Metric, is: Metric): Verdict | Unfit {
  if (isDeepStrictEqual(was, is)) return verdict;
  const other = ASKED.find((field) => !isDeepStrictEqual(was[field], is[field]));
  if (other) return { unfit: `metric ${is.name} has another ${other}, which was not measured` };
  if (is.baseline && was.baseline?.query !== is.baseline.query)
    return { unfit: `metric ${is.name} has another baseline.query, which was not measured` };
  const { observed: _, ...bare } = verdict;
  const role = is.mode === 'observe' ? { observed: true } : {};
  if (verdict.verdict === 'unmeasured') return { ...bare, ...role };
  if (verdict.value === undefined)
    return { unfit: `the value of metric ${is.name} was not a finite number, and a journal does not hold it` };
  if (is.baseline && verdict.baseline === undefined) return { unfit: `metric ${is.name} was not measured at the primary` };
  const primary = verdict.baseline === undefined ? undefined : ({ kind: 'value', value: verdict.baseline } as const);
  const { requests } = verdict;
  const counted = requests === undefined ? {} : { requests };
  return { ...judgeMeasurement(is, builtinKind(is) ?? 'custom', { kind: 'value', value: verdict.value }, primary), ...counted, ...role };
}

/** A journal holds no address: a webhook is known by its name and type. */
function recalled(answer: Called, before: readonly Webhook[], after: readonly Webhook[]): Called | Unfit {
  const ofType = (hooks: readonly Webhook[]) =>
    hooks.filter(({ type = '' }) => (type || 'rollout') === (answer.type || 'rollout')).map(({ name }) => name);
  const [had, has] = [ofType(before), ofType(after)];
  if (isDeepStrictEqual(had, has)) return answer;
  const added = has.find((name) => !had.includes(name));
  if (added !== undefined) return { unfit: `webhook ${added} was not called` };
  if (answer.outcome === 'passed') return { ...answer, webhooks: answer.webhooks.filter((name) => has.includes(name)) };
  return has.includes(answer.webhook) ? answer : { unfit: `webhook ${answer.webhook} failed, and those after it were not called` };
}

/** `--with` or `--with-file`. */
export async function analysisChange(flags: { with?: string; withFile?: string }): Promise<AnalysisChange | undefined> {
  if (flags.with !== undefined && flags.withFile !== undefined) throw usageError('--with and --with-file are both given: give one of them');
  if (flags.with !== undefined) return { patch: jsonIn(flags.with) };
  if (flags.withFile === undefined) return undefined;
  const { readYaml } = await import('./journal-file.ts');
  const read = await readYaml(flags.withFile);
  if (!isRecord(read)) throw usageError(`--with-file ${flags.withFile} holds no fields: give a merge patch of spec.analysis, or a Canary`);
  if (read.kind === undefined) return { patch: read };
  const analysis = isRecord(read.spec) ? read.spec.analysis : undefined;
  if (read.kind === 'Canary' && isRecord(analysis)) return { whole: analysis };
  throw usageError(`--with-file ${flags.withFile} is not a Canary with spec.analysis: give one, or a merge patch of spec.analysis`);
}

function jsonIn(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw usageError(`--with is not JSON: give a merge patch of spec.analysis, as in '{"threshold":2}'`, { cause });
  }
  if (!isRecord(value)) throw usageError(`--with is not an object: give a merge patch of spec.analysis, as in '{"threshold":2}'`);
  return value;
}
