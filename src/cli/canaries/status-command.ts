import type { Cluster, WatchHandle } from '../../kube/cluster.ts';
import type { CanaryReport } from '../output/documents.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { CommandAnswer, Output } from '../output/output.ts';
import { resourceName } from './canary-reading.ts';
import { reportOf } from './canary-report.ts';
import type { Session } from './session.ts';
import { slowApiServer } from './slow-api-server.ts';
import { type CanarySnapshot, readSnapshot, watchedRefs } from './snapshot.ts';
import { statusScreen } from './status-screen.ts';

type StatusSession = Pick<Session, 'namespace' | 'output' | 'clock'> & { cluster: Pick<Cluster, 'get' | 'list' | 'watch'> };

/** `serin status NAME`: one screen, once or again with every change. */
export async function statusCommand(
  { cluster, namespace = '', output, clock }: StatusSession,
  name: string,
  { watch = false }: { watch?: boolean },
): Promise<ExitName> {
  const snapshot = await readSnapshot(cluster, namespace, name, clock);
  const slow = await slowApiServer(cluster, snapshot.raw);
  for (const what of [...snapshot.hidden, ...(slow === undefined ? [] : [slow])]) output.note(`Note: ${what}.`);
  if (!watch) {
    await output.show(statusAnswer(reportOf(snapshot)));
    return 'done';
  }
  const frames = new Frames(output);
  await frames.show(statusAnswer(reportOf(snapshot)));
  for await (const _ of changesOf(cluster, snapshot))
    await frames.show(statusAnswer(reportOf(await readSnapshot(cluster, namespace, name, clock))));
  return 'done';
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
