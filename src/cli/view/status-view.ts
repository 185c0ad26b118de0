import { phaseOf, trafficInWords } from '../canaries/list-command.ts';
import { shortRevision } from '../canaries/status-screen.ts';
import type { CheckReport, EventReport, WorkloadReport } from '../output/documents.ts';
import { bar, type Meaning, meaningOf, paint } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { cleaned, cut } from '../output/text.ts';
import { ageText } from './age-text.ts';
import type { PodGroup, PodView, ReleaseView } from './release-view.ts';
import { sparkline } from './sparkline.ts';

const PODS_SHOWN = 3;
const CHECKS_SHOWN = 4;
const BAR = 20;
/** Rows that are left to events, however long the rest is. */
const ROWS_FOR_EVENTS = 4;

/** The live screen of one Canary: at most `rows` lines, none wider than the terminal. Pure. */
export function statusView(view: ReleaseView, terminal: Terminal, rows: number, nowMs: number): string[] {
  const line = lineFor(terminal);
  const head = headLines(view, terminal, nowMs);
  const tree = [
    ...sideLines('primary', view.report.workloads.primary, view.primaryPods, terminal, nowMs),
    ...sideLines('canary', view.report.workloads.target, view.canaryPods, terminal, nowMs),
  ];
  const checks = checkLines(view.report.checks, terminal);
  const left = Math.max(0, rows - head.length - checks.length - ROWS_FOR_EVENTS);
  const shownTree =
    tree.length <= left ? tree : [...tree.slice(0, Math.max(0, left - 1)), line(`  … ${tree.length - left + 1} more lines`)];
  const body = [...head, ...shownTree, ...checks];
  return [...body, ...eventLines(view.report.events, terminal, rows - body.length, nowMs)].slice(0, rows);
}

/** Makes a line of foreign text that fits. */
function lineFor(terminal: Terminal) {
  return (text: string, meaning: Meaning = 'plain'): string => {
    const indent = /^ */.exec(text)?.[0] ?? '';
    return paint(cut(`${indent}${cleaned(text, terminal)}`, terminal.columns, terminal), meaning, terminal);
  };
}

function headLines({ report, strategy, step, nextCheckMs, blocker }: ReleaseView, terminal: Terminal, nowMs: number): string[] {
  const line = lineFor(terminal);
  const { namespace, name, phase, since, traffic, failedChecks, threshold, message } = report;
  const beside = [
    strategy,
    ...(step === undefined ? [] : [`step ${step.at} of ${step.of}`]),
    ...(since === undefined ? [] : [`since ${ageText(since, nowMs)}`]),
    ...(nextCheckMs === undefined || nextCheckMs < nowMs ? [] : [`next check in ${Math.ceil((nextCheckMs - nowMs) / 1000)}s`]),
    `failed checks ${threshold === undefined ? failedChecks : `${failedChecks} of ${threshold}`}`,
  ];
  const weight = traffic.kind === 'weighted' ? bar(traffic.canary, BAR, terminal) : trafficInWords(traffic);
  return [
    line(`${phaseOf(report)}  ${namespace}/${name}`, meaningOf(phase)),
    line(beside.join(', ')),
    line(`canary ${weight}`),
    ...(blocker === undefined
      ? message === undefined
        ? []
        : [line(message)]
      : [line(`blocked: ${blocker.sentence}`, 'busy'), line(`  ${blocker.command}`)]),
  ];
}

function sideLines(
  role: string,
  { kind, name, exists, ready = 0, replicas, runs, revision }: WorkloadReport,
  groups: readonly PodGroup[],
  terminal: Terminal,
  nowMs: number,
): string[] {
  const line = lineFor(terminal);
  const count = replicas === undefined ? (exists ? (runs ?? 'exists') : 'does not exist') : `${ready} of ${replicas} ready`;
  return [
    line(`${role.padEnd(8)}${kind}/${name}  ${count}  ${shortRevision(revision)}`, exists && ready === (replicas ?? 0) ? 'plain' : 'busy'),
    ...groups.flatMap(({ owner, image, pods }) => [
      line(`  ${owner}  ${image}`),
      ...pods.slice(0, PODS_SHOWN).map((pod) => podLine(pod, terminal, nowMs)),
      ...(pods.length > PODS_SHOWN ? [line(`    … ${pods.length - PODS_SHOWN} more`)] : []),
    ]),
  ];
}

function podLine({ name, state, ready, restarts, created }: PodView, terminal: Terminal, nowMs: number): string {
  const beside = `${ready ? 'ready' : state}  ${restarts} restarts  ${ageText(created, nowMs)}`;
  const room = terminal.columns - beside.length - 6;
  return lineFor(terminal)(`    ${cut(name, room, terminal)}  ${beside}`, ready ? 'plain' : 'busy');
}

const VERDICTS: Readonly<Record<CheckReport['verdict'], Meaning>> = { passed: 'good', failed: 'bad', unmeasured: 'busy', pending: 'plain' };

function checkLines(checks: readonly CheckReport[], terminal: Terminal): string[] {
  const line = lineFor(terminal);
  return [
    ...checks.slice(0, CHECKS_SHOWN).map(({ check, verdict, value, limit = 'no limit', recent = [], reason }) => {
      const values = recent.flatMap((one) => (one.value === undefined ? [] : [one.value]));
      const measured = value === undefined ? '-' : String(Math.round(value * 100) / 100);
      const words = [
        verdict.padEnd(10),
        check,
        measured,
        `(${limit})`,
        sparkline(values, terminal),
        value === undefined ? (reason ?? '') : '',
      ];
      return line(words.filter(Boolean).join(' '), VERDICTS[verdict]);
    }),
    ...(checks.length > CHECKS_SHOWN ? [line(`… ${checks.length - CHECKS_SHOWN} more checks`)] : []),
  ];
}

/** The newest first. */
function eventLines(events: readonly EventReport[], terminal: Terminal, room: number, nowMs: number): string[] {
  const line = lineFor(terminal);
  return events
    .toReversed()
    .slice(0, Math.max(0, room))
    .map(({ at, type, reason, message, count }) =>
      line(
        `${ageText(at, nowMs).padStart(4)} ${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
        type === 'Warning' ? 'busy' : 'plain',
      ),
    );
}
