import { systemClock } from '../../base/clock.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { resourceName } from '../../reading/canary-reading.ts';
import { reportOf } from '../../reading/canary-report.ts';
import type { CanaryReport, ControllerReport } from '../../reading/documents/canary-documents.ts';
import { follow } from '../../reading/follow.ts';
import { inCharge, withFlags, withoutTimes } from '../../reading/in-charge.ts';
import { type CanarySnapshot, readSnapshot, watchedByScreen } from '../../reading/snapshot.ts';
import type { ExitName } from '../output/exit-codes.ts';
import { Frames, lostNotes } from '../output/frames.ts';
import type { CommandAnswer } from '../output/output.ts';
import type { Terminal } from '../output/terminal.ts';
import type { Keyboard } from '../view/keys.ts';
import { liveView } from '../view/live-view.ts';
import { type LiveRelease, releaseViewOf } from '../view/release-view.ts';
import { statusView } from '../view/status-view.ts';
import { type KeyActions, VerbKeys } from '../view/verb-keys.ts';
import { whyAnswer, whyReport } from '../why/why-command.ts';
import { hiddenLeases } from './controller-lines.ts';
import type { Session } from './session.ts';
import { slowApiServer } from './slow-api-server.ts';
import { statusScreen } from './status-screen.ts';

type StatusSession = Pick<Session, 'namespace' | 'output' | 'clock' | 'clusterFlags'> & {
  cluster: Pick<Cluster, 'get' | 'list' | 'watch'>;
};

/** Parts of the live screen besides the cluster; without them, changes are printed one below the other. */
export interface LiveParts {
  keyboard: Keyboard;
  /** Requests a verb, and waits for the answer. */
  ask: KeyActions['ask'];
}

/** `serin status NAME`: one screen, once or again with every change. */
export async function statusCommand(
  { cluster, namespace = '', output, clock = systemClock, clusterFlags = [] }: StatusSession,
  name: string,
  { watch = false }: { watch?: boolean },
  live?: LiveParts,
): Promise<ExitName> {
  const isWide = output.format === 'wide';
  const liveParts = watch && output.terminal.live && (output.format === undefined || isWide) ? live : undefined;
  const readNow = () => readSnapshot(cluster, namespace, name, clock, { withReplicaSets: liveParts !== undefined });
  const snapshot = await readNow();
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
  const seenAs = (now: CanarySnapshot, by: ControllerReport | undefined): Seen => ({
    snapshot: now,
    report: report(now, by && withoutTimes(by)),
  });
  const read = async () => {
    const next = await readNow();
    return seenAs(next, (await inCharge(cluster, next.raw, clock.nowMs())).controller);
  };
  const followed = {
    ...{ cluster, clock, read, first: seenAs(snapshot, controller) },
    watchedBy: (seen: Seen) => watchedByScreen(seen.snapshot),
  };
  if (liveParts) {
    const why = async (terminal: Terminal) =>
      whyAnswer(await whyReport({ cluster, namespace, clock, clusterFlags }, name)).lines(terminal, isWide);
    await liveView<LiveRelease>(
      {
        source: ({ show, connection }, signal) =>
          follow({ ...followed, show: (seen) => show(releaseViewOf(seen.snapshot, seen.report, clusterFlags)), connection, signal }),
        lines: (view, terminal, rows, nowMs) => statusView(view, terminal, rows, nowMs, isWide),
        panel: (redraw) => new VerbKeys({ ask: liveParts.ask, why }, redraw, output.terminal),
      },
      { output, clock, keyboard: liveParts.keyboard },
    );
    return 'done';
  }
  const frames = new Frames(output);
  await follow({
    ...followed,
    show: (seen) => frames.show(statusAnswer(seen.report)),
    connection: lostNotes(output),
    signal: new AbortController().signal,
  });
  return 'done';
}

/** One reading of the cluster. */
interface Seen {
  snapshot: CanarySnapshot;
  report: CanaryReport;
}

export function statusAnswer(report: CanaryReport): CommandAnswer<CanaryReport> {
  return {
    document: report,
    names: [resourceName(report)],
    lines: (terminal, wide) => statusScreen(report, terminal, wide),
  };
}
