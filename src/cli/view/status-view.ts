import { requestsText } from '../../api/routed-text.ts';
import { breach } from '../../metrics/limit.ts';
import type { CheckReport, ControllerReport, EventReport, GateReport, WorkloadReport } from '../../reading/documents/canary-documents.ts';
import { type ComparedReport, sideText } from '../../reading/documents/compared-report.ts';
import type { PodRow } from '../../reading/pod-view.ts';
import { COMPARED_MEANINGS } from '../canaries/compared-rows.ts';
import { controllerText } from '../canaries/controller-lines.ts';
import { isIterating, phaseText, trafficInWords } from '../canaries/list-command.ts';
import { stepsText } from '../canaries/release-line.ts';
import { shortRevision } from '../canaries/status-screen.ts';
import { columnsOf, padded } from '../output/columns.ts';
import { bar, type Meaning, meaningOf, paint } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { ageText, cleaned, cut, cutFront, wrapped } from '../output/text.ts';
import type { LiveRelease, PodGroup } from './release-view.ts';
import { sparkline } from './sparkline.ts';

/** Pods of one owner: the most of these that leave room for the rest. */
const PODS_SHOWN = [8, 5, 3, 2, 1, 0] as const;
const GROUPS_SHOWN = 3;
const CHECKS_SHOWN = 6;
const COMPARED_SHOWN = 3;
const GATES_SHOWN = 3;
const BAR = 20;
const MESSAGE_LINES = 2;
const SHORTEST_IMAGE = 12;
/** Rows that are left to events, however long the rest is. */
const ROWS_FOR_EVENTS = 4;
/** Below it, parts follow each other without an empty line. */
const ROWS_WITH_GAPS = 20;

/** Input for the lines of a screen besides the release. */
interface Frame {
  terminal: Terminal;
  nowMs: number;
  wide: boolean;
  line(text: string, meaning?: Meaning): string;
}

/** The live screen of one Canary: at most `rows` lines, none wider than the terminal. `wide`: queries and sentences in full. Pure. */
export function statusView(view: LiveRelease, terminal: Terminal, rows: number, nowMs: number, wide = false): string[] {
  const frame: Frame = { terminal, nowMs, wide, line: lineFor(terminal) };
  const { workloads, checks, compared = [], gates, events } = view.report;
  const head = headLines(view, frame);
  const judged = [...checkLines(view, checks, frame), ...comparedLines(compared, frame), ...gateLines(gates, frame)];
  const gap = rows < ROWS_WITH_GAPS ? [] : [''];
  const used = head.length + judged.length + ROWS_FOR_EVENTS + 3 * gap.length;
  const treeOf = (pods: number) => [
    ...sideLines('primary', workloads.primary, view.primaryPods, pods, frame),
    ...sideLines('canary', workloads.target, view.canaryPods, pods, frame),
  ];
  const trees = PODS_SHOWN.map(treeOf);
  const tree = trees.find((lines) => lines.length <= rows - used) ?? treeOf(0);
  const body = [...head, ...gap, ...tree, ...(judged.length > 0 ? [...gap, ...judged] : []), ...(events.length > 0 ? gap : [])];
  return [...body, ...eventLines(events, rows - body.length, frame)].slice(0, rows);
}

/** Makes a line of foreign text that fits. */
function lineFor(terminal: Terminal): Frame['line'] {
  return (text, meaning = 'plain') => {
    const indent = /^ */.exec(text)?.[0] ?? '';
    return paint(cut(`${indent}${spaced(text, terminal)}`, terminal.columns, terminal), meaning, terminal);
  };
}

/** Columns within a line are two or more spaces apart, which `cleaned` would join. */
const spaced = (text: string, terminal: Terminal): string =>
  text
    .trim()
    .split(/( {2,})/)
    .map((part, index) => (index % 2 === 0 ? cleaned(part, terminal) : part))
    .join('');

function headLines(view: LiveRelease, { terminal, nowMs, line, wide }: Frame): string[] {
  const { report, strategy, step, nextCheckMs, blocker } = view;
  const { namespace, name, phase, since, traffic, failedChecks, threshold, message, controller, provider } = report;
  const age = since === undefined ? '' : ` for ${ageText(since, nowMs)}`;
  const steps = [strategy, ...(step === undefined ? [] : [`step ${step.at} of ${step.of}`])].join(', ');
  const beside = [
    ...(nextCheckMs === undefined || nextCheckMs < nowMs ? [] : [`next check in ${Math.ceil((nextCheckMs - nowMs) / 1000)}s`]),
    `failed checks ${threshold === undefined ? failedChecks : `${failedChecks} of ${threshold}`}`,
    ...(wide ? [`provider ${provider ?? 'of the controller'}`] : []),
  ];
  const shown = traffic.kind === 'weighted' ? bar(traffic.canary, BAR, terminal) : trafficInWords(traffic);
  const weight = isIterating(report) ? stepsText(report.release?.steps) : shown;
  const said = (text: string, meaning: Meaning) => {
    const lines = wrapped(cleaned(text, terminal), terminal.columns);
    const shown =
      wide || lines.length <= MESSAGE_LINES ? lines : [...lines.slice(0, MESSAGE_LINES - 1), lines.slice(MESSAGE_LINES - 1).join(' ')];
    return shown.map((one) => line(one, meaning));
  };
  return [
    line(`${namespace}/${name}  ${phaseText(report)}${age}  ${steps}`, meaningOf(phase)),
    line(`canary ${weight}  ${beside.join(', ')}`),
    ...(blocker === undefined
      ? said(message ?? '', 'plain').filter((one) => one !== '')
      : [...said(`Blocked: ${blocker.sentence}`, 'busy'), line(`  ${blocker.command}`)]),
    ...controllerLine(controller, line),
  ];
}

function controllerLine(controller: ControllerReport | undefined, line: Frame['line']): string[] {
  if (controller === undefined) return [];
  const { held, look } = controller;
  return [line(`Controller: ${controllerText(controller)}`, held ? 'plain' : 'bad'), ...(look === undefined ? [] : [line(`  ${look}`)])];
}

function sideLines(
  role: string,
  { kind, name, exists, ready = 0, replicas, runs, revision }: WorkloadReport,
  groups: readonly PodGroup[],
  podsShown: number,
  frame: Frame,
): string[] {
  const { line } = frame;
  const count = replicas === undefined ? (exists ? (runs ?? 'exists') : 'does not exist') : `${ready} of ${replicas} ready`;
  return [
    line(`${role}  ${kind}/${name}  ${count}  ${shortRevision(revision)}`, exists && ready === (replicas ?? 0) ? 'plain' : 'busy'),
    ...groups
      .slice(0, GROUPS_SHOWN)
      .flatMap(({ pods, failure, ...group }) => [
        groupLine(group, frame),
        ...(failure === undefined ? [] : [line(`    ${failure}`, 'bad')]),
        ...pods.slice(0, podsShown).map((pod) => podLine(pod, frame)),
        ...(pods.length > podsShown ? [line(`    … ${pods.length - podsShown} more`)] : []),
      ]),
    ...(groups.length > GROUPS_SHOWN ? [line(`  … ${groups.length - GROUPS_SHOWN} more owners of pods`)] : []),
  ];
}

/** The end of an image names its version: a long one loses its beginning. */
function groupLine({ owner, image, ready = 0, replicas }: Omit<PodGroup, 'pods'>, { terminal, line }: Frame): string {
  const counts = replicas === undefined ? '' : `  ${ready} of ${replicas} ready`;
  const before = `  ${owner}${counts}  `;
  const shown = cutFront(cleaned(image, terminal), Math.max(SHORTEST_IMAGE, terminal.columns - columnsOf(before)), terminal);
  return line(`${before}${shown}`, ready === (replicas ?? ready) ? 'plain' : 'busy');
}

function podLine({ name, state, ready, restarts, created }: PodRow, { terminal, nowMs, line }: Frame): string {
  const counted = restarts === 1 ? '1 restart' : `${restarts} restarts`;
  const beside = `${ready && state !== 'Terminating' ? 'ready' : state}  ${counted}  ${ageText(created, nowMs)}`;
  return line(`    ${cut(name, Math.max(8, terminal.columns - beside.length - 6), terminal)}  ${beside}`, ready ? 'plain' : 'busy');
}

const VERDICTS: Readonly<Record<CheckReport['verdict'], Meaning>> = { passed: 'good', failed: 'bad', unmeasured: 'busy', pending: 'plain' };
const rounded = (value: number): string => String(Math.round(value * 100) / 100);
const measured = ({ value }: Pick<CheckReport, 'value'>): string => (value === undefined ? '-' : rounded(value));
/** Longer names of checks move their own line only. */
const CHECK_WIDTH = 24;

function checkLines({ ranges }: LiveRelease, checks: readonly CheckReport[], { terminal, line, wide }: Frame): string[] {
  const shown = checks.slice(0, CHECKS_SHOWN);
  const widthOf = (text: (check: CheckReport) => string) => Math.max(0, ...shown.map((check) => columnsOf(text(check))));
  const widths = {
    verdict: widthOf(({ verdict }) => verdict),
    check: Math.min(
      CHECK_WIDTH,
      widthOf(({ check }) => check),
    ),
    value: widthOf(measured),
  };
  return [
    ...shown.flatMap(({ check, verdict, value, baseline, requests, limit: said = 'no limit', recent = [], reason, observed }) => {
      const { limit = {}, query } = ranges.get(check) ?? {};
      const values = recent.flatMap((one) => (one.value === undefined ? [] : [one.value]));
      const outside = values.filter((one) => breach(one, limit, '') !== undefined).length;
      const words = [
        padded(verdict, widths.verdict),
        padded(check, widths.check),
        measured({ value }).padStart(widths.value),
        `(${said})`,
        sparkline(values, limit, terminal),
        outside === 0 ? '' : `${outside} of ${values.length} outside`,
        requests === undefined ? '' : requestsText(requests),
        baseline === undefined ? '' : `primary ${rounded(baseline)}`,
        observed ? 'observed only' : '',
        value === undefined ? (reason ?? '') : '',
      ];
      const asked = wide && query !== undefined ? [line(`    query: ${query}`)] : [];
      return [line(words.filter(Boolean).join('  '), VERDICTS[verdict]), ...asked];
    }),
    ...(checks.length > CHECKS_SHOWN ? [line(`… ${checks.length - CHECKS_SHOWN} more checks`)] : []),
  ];
}

/** Two lines for each metric; `wide`: with the intervals. */
function comparedLines(compared: readonly ComparedReport[], { line, wide }: Frame): string[] {
  return compared.slice(0, COMPARED_SHOWN).flatMap((report) => {
    const { metric, verdict, decides, windows, sentence, canary, primary, against, inFavour } = report;
    const isCounted = windows > 0;
    const sides = isCounted ? [`canary ${sideText(canary, wide)}`, `primary ${sideText(primary, wide)}`] : [];
    const shares = isCounted ? [`against ${against}%`, `in favour ${inFavour}%`] : [];
    return [
      line([verdict, metric, ...sides].join('  '), COMPARED_MEANINGS[verdict]),
      line(`    ${[...shares, sentence, ...(decides ? [] : ['shadow: decides nothing'])].join('  ')}`),
    ];
  });
}

function gateLines(gates: readonly GateReport[], { line }: Frame): string[] {
  const shown = gates.filter(({ state }) => state !== 'unasked');
  return [
    ...shown
      .slice(0, GATES_SHOWN)
      .map(({ name, type, state, reason = '' }) =>
        line(`${state}  ${name}  ${type}  ${reason}`.trimEnd(), state === 'open' ? 'good' : 'busy'),
      ),
    ...(shown.length > GATES_SHOWN ? [line(`… ${shown.length - GATES_SHOWN} more gates`)] : []),
  ];
}

/** The newest first. */
function eventLines(events: readonly EventReport[], room: number, { nowMs, line }: Frame): string[] {
  return events
    .toReversed()
    .slice(0, Math.max(0, room))
    .map(({ at, type, reason, message, count }) =>
      line(
        `${ageText(at, nowMs).padStart(4)}  ${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
        type === 'Warning' ? 'busy' : 'plain',
      ),
    );
}
