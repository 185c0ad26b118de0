import { type Clock, systemClock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { resourceName } from '../../reading/canary-reading.ts';
import type { ChangeOf, Diagnosis, Why } from '../../reading/documents/canary-documents.ts';
import { inCharge, withFlags } from '../../reading/in-charge.ts';
import { readSnapshot } from '../../reading/snapshot.ts';
import { whyOf } from '../../reading/why/diagnose.ts';
import { saidOnce } from '../../reading/why/said-once.ts';
import { controllerLines, hiddenLeases } from '../canaries/controller-lines.ts';
import type { Session } from '../canaries/session.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { meaningOf, paint } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { cleaned, wrapped } from '../output/text.ts';

const INDENT = 9;

/** `serin why NAME`: the cause that holds a Canary, the field that proves it, and the remedy. */
export async function whyCommand(
  { cluster, namespace = '', output, clock = systemClock, clusterFlags = [] }: Session,
  name: string,
): Promise<ExitName> {
  const note = (what: string) => output.note(`Note: ${what}.`);
  const noteHidden = (isHidden: boolean) => hiddenLeases(isHidden, output).forEach(note);
  await output.show(whyAnswer(await whyReport({ cluster, namespace, clock, clusterFlags }, name, note, noteHidden)));
  return 'done';
}

/** Reads the cluster for the report. */
export async function whyReport(
  { cluster, namespace, clock, clusterFlags }: { cluster: ClusterReader; namespace: string; clock: Clock; clusterFlags: readonly string[] },
  name: string,
  note: (what: string) => void = () => undefined,
  noteLeases: (isHidden: boolean) => void = () => undefined,
): Promise<Why> {
  const snapshot = await readSnapshot(cluster, namespace, name, clock);
  const { controller, isHidden } = await inCharge(cluster, snapshot.raw, clock.nowMs());
  for (const what of snapshot.hidden) note(what);
  noteLeases(isHidden);
  return onThisCluster({ ...whyOf(snapshot), ...(controller && { controller }) }, clusterFlags);
}

/** Copied commands must reach the cluster that was read, and no other. */
export function onThisCluster(why: Why, flags: readonly string[]): Why {
  const onCluster = (line: string) => [line, ...flags].join(' ');
  const withCommands = ({ command, look, ...rest }: Diagnosis): Diagnosis => ({
    ...rest,
    ...defined({ command: command && onCluster(command), look: look && onCluster(look) }),
  });
  const { controller, diagnosis, also } = why;
  const commands = { diagnosis: withCommands(diagnosis), also: also.map(withCommands) };
  return { ...why, ...commands, ...(controller && { controller: withFlags(controller, flags) }) };
}

export function whyAnswer(why: Why): CommandAnswer<Why> {
  return {
    document: why,
    names: [resourceName(why)],
    lines: (terminal) => [
      `Canary ${why.namespace}/${why.name}: ${paint(why.phase || 'unseen', meaningOf(why.phase), terminal)}`,
      ...lines(why.diagnosis, terminal),
      ...why.also.flatMap((one) => ['', 'Also', ...lines(one, terminal)]),
      ...(why.controller === undefined ? [] : ['', ...controllerLines(why.controller)]),
    ],
  };
}

function lines(diagnosis: Diagnosis, terminal: Terminal): string[] {
  const { cause, sentence, proof, action, who, change, command, look } = saidOnce(diagnosis);
  const row = (label: string, said: string) =>
    wrapped(cleaned(said, terminal), terminal.columns - INDENT).map((line, index) => `${(index === 0 ? label : '').padEnd(INDENT)}${line}`);
  // Never wrapped: it is to be copied.
  const copied = (label: string, line: string | undefined) =>
    line === undefined ? [] : [`${label.padEnd(INDENT)}${cleaned(line, terminal)}`];
  return [
    ...row('', sentence),
    ...row('cause', cause),
    ...proof.flatMap(({ kind, name, field, value }) => row('proof', [`${kind} ${name}`, ...proven(field, value)].join(': '))),
    ...row('action', action),
    ...(who === undefined ? [] : row('who', who)),
    ...(change === undefined ? [] : row('change', changeText(change))),
    ...copied('run', command),
    ...copied('look', look),
  ];
}

/** The field and its value; a value that the sentence has is left out. */
function proven(field: string, value: string | undefined): string[] {
  const named = field === 'metadata' ? [] : [field];
  return value === undefined ? named : [[...named, value].join(' is ')];
}

const changeText = ({ verb, kind, name, field }: ChangeOf): string =>
  verb === 'set' ? `set ${field} of ${kind} ${name}` : `${verb} ${kind} ${name}`;
