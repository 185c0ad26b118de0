import { apiVersion } from '../../api/canary.ts';
import type { ScalerSpec } from '../../api/kinds/scaler.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import { MOST_REHEARSALS, MOST_REHEARSED_PODS, withFewerPods, withLessQuota } from '../../rehearsal/limits.ts';
import { mistakesOf } from '../../rehearsal/mistakes.ts';
import { type RehearsalInput, rehearsalProblem } from '../../rehearsal/rehearsal.ts';
import { rehearse } from '../../rehearsal/rehearse.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import { guarded, onCluster, type Surroundings } from '../canaries/session.ts';
import { startVirtualController } from '../controller/virtual-controller.ts';
import { CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { type Item, unreadablePlace } from '../validate/documents.ts';
import { readStdin } from '../validate/sources.ts';
import { type Judged, type ValidateArgs, validateFiles } from '../validate/validate.ts';
import { readProvider } from '../validate/validate-options.ts';
import { LIVE, liveCanary, readForRehearsal } from './live-items.ts';
import { readAssumed, readRate, readScenarios, readSeed } from './read-flags.ts';
import type { RehearsalMistake, RehearsalReport, RehearsalResult } from './rehearsal-report.ts';
import type { RehearseFlags } from './rehearse-flags.ts';
import { resultOf } from './result-of.ts';
import { showReport } from './show-report.ts';

type Live = Pick<ValidateArgs, 'readCluster' | 'namespace' | 'more'>;

/** `serin rehearse`: rehearses each Canary in each scenario, and resolves to the exit code. */
export function runRehearse(files: readonly string[], flags: RehearseFlags, around?: Surroundings): Promise<number> {
  const { output: format, ...others } = flags;
  const shown = { ...others, ...((format === 'json' || format === 'yaml' || format === 'wide') && { output: format }) };
  if (flags.live !== true) return guarded(shown, around, (output) => rehearseCommand(files, flags, output));
  return onCluster(
    shown,
    async ({ cluster, namespace, output }) =>
      rehearseCommand(files, flags, output, {
        namespace,
        more: flags.canary === undefined ? [] : await liveCanary(cluster, { name: flags.canary, namespace }),
        readCluster: (items) => readForRehearsal(cluster, items),
      }),
    around,
  );
}

async function rehearseCommand(files: readonly string[], flags: RehearseFlags, output: Output, live: Live = {}): Promise<ExitName> {
  if (files.length === 0 && flags.live !== true)
    throw usageError("name a file, a folder, or - for standard input, as in 'serin rehearse canary.yaml', or use --live --canary NAME");
  const scenarios = readScenarios(flags.scenario, flags.matrix === true);
  const seed = readSeed(flags.seed);
  const requestsPerSecond = readRate(flags.rate);
  const mesh = flags.provider === undefined ? {} : await readProvider(flags.provider);
  if ('unknown' in mesh) throw usageError(`--provider: ${mesh.unknown}`);
  const provider = mesh.known;
  const judged = await validateFiles({
    files: [...files],
    ...(files.includes('-') && { stdin: await readStdin() }),
    namespace: flags.namespace ?? live.namespace,
    provider,
    ...live,
  });
  const items = [...judged.items, ...judged.live];
  const canaries = canariesIn(judged, flags);
  const whole = new Map(items.map((item) => [item, placed(item)]));
  const assumed = readAssumed(flags.assume ?? [], checkNames(canaries));
  const mistakes = findingsIn(judged);
  const rehearsals: RehearsalResult[] = [];
  if (canaries.length * scenarios.length > MOST_REHEARSALS)
    throw usageError(`a run makes ${MOST_REHEARSALS} rehearsals at the most: name one Canary with --canary, or fewer scenarios`);
  for (const item of canaries) {
    const { objects, found } = modelled(item, whole);
    mistakes.push(...found);
    for (const scenario of scenarios) {
      const canary = objects.get(item) ?? item.object;
      const input = { objects: [...objects.values()], canary, scenario, seed, requestsPerSecond, assumed, provider };
      const one = await rehearseOne(item, input, scenario);
      rehearsals.push(one.result);
      for (const mistake of one.mistakes) if (!mistakes.some((known) => isSame(known, mistake))) mistakes.push(mistake);
    }
  }
  const report: RehearsalReport = {
    apiVersion: outputVersion,
    kind: 'RehearsalReport',
    sound: mistakes.every(({ severity }) => severity !== 'error'),
    seed,
    requestsPerSecond,
    mistakes,
    rehearsals,
  };
  await showReport(report, flags.output, output);
  return report.sound ? 'done' : 'no';
}

async function rehearseOne(
  item: Item,
  input: Omit<RehearsalInput, 'startController'>,
  scenario: Scenario,
): Promise<{ result: RehearsalResult; mistakes: RehearsalMistake[] }> {
  const problem = rehearsalProblem(input.canary, input.provider);
  if (problem !== undefined) {
    const { field = '', message } = problem;
    const said = field === '' ? message : `${field}: ${message}`;
    return {
      result: notRehearsed(item, scenario, said),
      mistakes: [
        { severity: 'error', rule: 'not-rehearsed', message: `Canary ${item.name} cannot be rehearsed: ${said}`, ...whereIs(item, field) },
      ],
    };
  }
  const rehearsal = await rehearse({
    ...input,
    startController: (world, args, log, apiUrl) => startVirtualController(world, args, log, () => apiUrl),
  });
  return {
    result: resultOf(rehearsal, input.canary),
    mistakes: mistakesOf(rehearsal).map(({ code, severity, message }) => ({
      ...{ severity, rule: code, message },
      ...(code !== 'object-refused' && { scenario: scenario.name }),
      ...whereIs(item),
    })),
  };
}

/** The objects with as many pods as are modelled, and a warning for each that has more. */
function modelled({ name }: Item, whole: ReadonlyMap<Item, KubeObject>): { objects: Map<Item, KubeObject>; found: RehearsalMistake[] } {
  const canary = [...whole].find(([one, { kind }]) => kind === 'Canary' && one.name === name)?.[1];
  const target = specOf<{ targetRef: { name?: string } }>(canary).targetRef?.name;
  let share = 1;
  const found: RehearsalMistake[] = [];
  const objects = new Map(whole);
  for (const [item, object] of whole) {
    const fewer = withFewerPods(object);
    const isOfCanary = object === canary || object.metadata.name === target || scaledBy(object) === target;
    if (fewer === undefined || !isOfCanary) continue;
    objects.set(item, fewer.object);
    share = Math.min(share, MOST_REHEARSED_PODS / fewer.pods);
    const message = `${fewer.pods} pods are modelled by ${MOST_REHEARSED_PODS}, and quotas of pods are lowered as much: times of their starts are those of ${MOST_REHEARSED_PODS}`;
    found.push({ severity: 'warning', rule: 'fewer-pods', message, field: fewer.field, ...whereIs(item, fewer.field) });
  }
  if (share < 1) for (const [item, object] of objects) objects.set(item, withLessQuota(object, share));
  return { objects, found };
}

const scaledBy = (object: KubeObject): string | undefined => specOf<ScalerSpec>(object).scaleTargetRef?.name;

const noRequests = { sent: 0, failed: 0 };

const notRehearsed = (
  { name, namespace = 'default' }: Item,
  { name: called, says, expect }: Scenario,
  message: string,
): RehearsalResult => ({
  ...{ namespace, name, scenario: { name: called, says, expect }, verdict: 'notRehearsed', phase: '', message, blamed: [] },
  ...{ seconds: { total: 0 }, requests: { old: noRequests, new: noRequests, none: noRequests }, peakPods: 0 },
  ...{ checks: [], timeline: [], samples: [], notApplied: [], assumptions: [] },
});

function canariesIn({ sources, items }: Judged, flags: RehearseFlags): Item[] {
  const named = flags.canary?.split('/').at(-1);
  const own = items.filter(({ object }) => object.apiVersion === apiVersion && object.kind === 'Canary');
  const found = own.filter(({ name }) => named === undefined || name === named);
  if (found.length > 0) return found.slice(0, named === undefined ? undefined : 1);
  const [unreadable] = sources.flatMap((source) => source.unreadable);
  if (unreadable !== undefined && own.length === 0) throw usageError(`${unreadablePlace(unreadable)}: ${unreadable.message}`);
  const known = own.map(({ name }) => name).join(', ');
  throw new CommandError(
    'notFound',
    named === undefined
      ? 'no Canary found: give its manifest with --filename, or --live --canary NAME'
      : `Canary ${named} not found${known === '' ? '' : `; the manifests have ${known}`}`,
  );
}

/** With the namespace that it is applied to; a Secret of the cluster is not used. */
function placed({ object, namespace }: Item): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace: namespace ?? 'default' } };
}

interface NamedMetric {
  name?: string;
  templateRef?: { name?: string };
}

function checkNames(canaries: readonly Item[]): Set<string> {
  const metrics = canaries.flatMap(({ object }) => specOf<{ analysis: { metrics?: NamedMetric[] } }>(object).analysis?.metrics ?? []);
  return new Set(metrics.flatMap(({ name, templateRef }) => [name, templateRef?.name].filter((one) => typeof one === 'string')));
}

function findingsIn({ sources, found }: Judged): RehearsalMistake[] {
  const unreadable = sources.flatMap((source) => source.unreadable);
  return [
    ...unreadable.map(({ source, line, message }) => ({
      ...{ severity: 'error' as const, rule: 'validate', message, file: source },
      ...(line !== undefined && { line }),
    })),
    ...found.map(({ severity, path, message, on }) => ({
      ...{ severity, rule: 'validate', message },
      ...(path !== '' && { field: path }),
      ...whereIs(on, path),
    })),
  ];
}

const whereIs = ({ object, name, namespace, place }: Item, path = '') => ({
  object: { kind: String(object.kind), ...(namespace !== undefined && { namespace }), name },
  ...(place && place.file !== LIVE && { file: place.source, line: place.lineOf(path) }),
});

const isSame = (one: RehearsalMistake, other: RehearsalMistake): boolean => JSON.stringify(one) === JSON.stringify(other);
