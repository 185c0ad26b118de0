import { type Clock, systemClock } from '../../kube/clock.ts';
import type { Cluster, WatchHandle } from '../../kube/cluster.ts';
import type { CanaryReport, ControllerReport } from '../output/documents.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer, Output } from '../output/output.ts';
import type { KeyStream } from '../view/keys.ts';
import { type ReleaseView, releaseViewOf } from '../view/release-view.ts';
import { resourceName } from './canary-reading.ts';
import { reportOf } from './canary-report.ts';
import { hiddenLeases, inCharge, withFlags } from './in-charge.ts';
import type { Session } from './session.ts';
import { slowApiServer } from './slow-api-server.ts';
import { type CanarySnapshot, readSnapshot, watchedRefs } from './snapshot.ts';
import { statusScreen } from './status-screen.ts';

type StatusSession = Pick<Session, 'namespace' | 'output' | 'clock' | 'clusterFlags'> & {
  cluster: Pick<Cluster, 'get' | 'list' | 'watch'>;
};

/** `serin status NAME`: one screen, once or again with every change. */
export async function statusCommand(
  { cluster, namespace = '', output, clock = systemClock, clusterFlags = [] }: StatusSession,
  name: string,
  { watch = false }: { watch?: boolean },
  input: KeyStream = process.stdin,
): Promise<ExitName> {
  const snapshot = await readSnapshot(cluster, namespace, name, clock);
  const [slow, { controller, isHidden }] = await Promise.all([
    slowApiServer(cluster, snapshot.raw),
    inCharge(cluster, snapshot.raw, clock.nowMs()),
  ]);
  const hidden = hiddenLeases(isHidden, output);
  for (const what of [...snapshot.hidden, ...hidden, ...(slow === undefined ? [] : [slow])]) output.note(`Note: ${what}.`);
  const report = (now: CanarySnapshot, by: ControllerReport | undefined): CanaryReport => ({
    ...reportOf(now),
    ...(by && { controller: withFlags(by, clusterFlags) }),
  });
  if (!watch) {
    await output.show(statusAnswer(report(snapshot, controller)));
    return 'done';
  }
  if (output.terminal.live && output.format === undefined) {
    const { liveStatus } = await import('../view/live-status.ts');
    await liveStatus(viewsOf(cluster, namespace, name, clock, snapshot), { output, clock, input });
    return 'done';
  }
  const frames = new Frames(output);
  await frames.show(statusAnswer(report(snapshot, controller && withoutTimes(controller))));
  for await (const _ of changesOf(cluster, snapshot)) {
    const next = await readSnapshot(cluster, namespace, name, clock);
    const by = (await inCharge(cluster, next.raw, clock.nowMs())).controller;
    await frames.show(statusAnswer(report(next, by && withoutTimes(by))));
  }
  return 'done';
}

/** The first view, and one after each change. */
async function* viewsOf(
  cluster: StatusSession['cluster'],
  namespace: string,
  name: string,
  clock: Clock,
  first: CanarySnapshot,
): AsyncGenerator<ReleaseView> {
  yield releaseViewOf(first, reportOf(first));
  for await (const _ of changesOf(cluster, first)) {
    const next = await readSnapshot(cluster, namespace, name, clock);
    yield releaseViewOf(next, reportOf(next));
  }
}

/** A renewal alone makes no frame. */
function withoutTimes({ renewed: _renewed, ageSeconds: _age, ...report }: ControllerReport): ControllerReport {
  return report;
}

export function statusAnswer(report: CanaryReport): CommandAnswer<CanaryReport> {
  return {
    document: report,
    names: [resourceName(report)],
    lines: (terminal, wide) => statusScreen(report, terminal, wide),
  };
}

/** Draws over the frame before where that can be done; elsewhere a frame that says something new comes below it. */
class Frames {
  readonly #output: Output;
  #last = '';

  constructor(output: Output) {
    this.#output = output;
  }

  async show(answer: CommandAnswer<CanaryReport>): Promise<void> {
    const text = await this.#output.render(answer);
    if (text === this.#last) return;
    const { terminal, format } = this.#output;
    const isDrawn = terminal.live && (format === undefined || format === 'wide');
    if (isDrawn) this.#output.write('\x1b[H\x1b[2J');
    else if (this.#last !== '') this.#output.write(format === 'yaml' ? '---\n' : format === undefined ? '\n' : '');
    this.#output.write(text);
    this.#last = text;
  }
}

/** One turn for all that happened since the last: never faster than it is read. */
async function* changesOf(cluster: Pick<Cluster, 'watch'>, snapshot: CanarySnapshot): AsyncGenerator<void> {
  let turn = Promise.withResolvers<void>();
  const wake = () => turn.resolve();
  const watches = watchedRefs(snapshot).map(({ apiVersion, kind, name, namespace }): WatchHandle => {
    const heed = { onEvent: wake, onList: wake };
    return cluster.watch({ apiVersion, kind, ...(namespace && { namespace }) }, heed, { fieldSelector: `metadata.name=${name}` });
  });
  try {
    for (;;) {
      await turn.promise;
      turn = Promise.withResolvers<void>();
      yield;
    }
  } finally {
    for (const watch of watches) watch.stop();
  }
}
