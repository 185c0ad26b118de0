import { systemClock } from '../../base/clock.ts';
import { printable } from '../../base/printable.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { CanarySummary } from '../../reading/documents/canary-documents.ts';
import { KEPT } from '../../reading/kept-primaries.ts';
import { listAnswer, phaseText, trafficInWords } from '../canaries/list-command.ts';
import type { Session } from '../canaries/session.ts';
import { type ShownList, watchList } from '../canaries/watched-list.ts';
import type { ExitName } from '../output/exit-codes.ts';
import { Frames, lostNotes } from '../output/frames.ts';
import type { Terminal } from '../output/terminal.ts';
import type { Keyboard } from './keys.ts';
import { firstShown, listView, roomFor } from './list-view.ts';
import { type KeyPanel, type LiveSource, liveView } from './live-view.ts';

type ListSession = Pick<Session, 'namespace' | 'output' | 'clock'> & { cluster: Pick<Cluster, 'watch'> };

/** `serin list --watch`: on a terminal a screen; elsewhere, or without a keyboard, a line for each change, or a document for programs. */
export async function liveList(
  { cluster, namespace, output, clock = systemClock }: ListSession,
  { selector }: { selector?: string } = {},
  keyboard?: Keyboard,
): Promise<ExitName> {
  const source: LiveSource<ShownList> = (to, signal) => watchList({ cluster, namespace, selector, clock, signal, ...to });
  const { format, terminal } = output;
  const isText = format === undefined || format === 'wide';
  const ofAll = namespace === undefined;
  if (keyboard && isText && terminal.live) {
    const scroll = new ListScroll();
    const choice = { ofAll, wide: format === 'wide' };
    const lines = (list: ShownList, now: Terminal, rows: number, nowMs: number) =>
      listView(list, { ...choice, from: scroll.within(list, rows) }, now, rows, nowMs);
    await liveView({ source, lines, panel: () => scroll }, { output, clock, keyboard });
    return 'done';
  }
  const frames = new Frames(output);
  const lines = new ChangedLines();
  const show = ({ items, kept }: ShownList): void | Promise<void> => {
    if (!isText) return frames.show(listAnswer(items, ofAll, { kept, nowMs: clock.nowMs() }));
    for (const line of lines.since({ items, kept })) output.write(`${printable(line)}\n`);
  };
  const signal = new AbortController().signal;
  await watchList({ cluster, namespace, selector, clock, signal, show, connection: lostNotes(output) });
  return 'done';
}

/** `j` and `k` on the screen of all Canaries: a page down and up. */
class ListScroll implements KeyPanel<ShownList> {
  #from = 0;
  #room = 1;

  /** The first line, once the number of lines and the height are known. */
  within({ items, kept }: ShownList, rows: number): number {
    this.#room = roomFor(items.length, rows - kept.length);
    this.#from = firstShown(items.length, this.#from, this.#room);
    return this.#from;
  }

  heed(key: string): boolean {
    if (key === 'j') this.#from += this.#room;
    else if (key === 'k') this.#from = Math.max(0, this.#from - this.#room);
    return false;
  }

  cover(): undefined {
    return undefined;
  }

  footer({ items }: ShownList): readonly string[] {
    return [items.length > this.#room ? 'j down  k up  q quit' : 'q quit'];
  }
}

/** The lines of those Canaries and kept primaries that have changed. */
class ChangedLines {
  #last = new Map<string, string>();

  since({ items, kept }: ShownList): string[] {
    const key = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`;
    const left = kept.map((item): [string, string] => [key(item), `${key(item)}: ${KEPT} since ${item.since}; ${item.next}`]);
    // A Canary that has come again has its own line.
    const now = new Map([...left, ...items.map((item): [string, string] => [key(item), lineOf(item)])]);
    const gone = [...this.#last.keys()].filter((name) => !now.has(name)).map((name) => `${name}: deleted`);
    const changed = [...now].filter(([name, line]) => this.#last.get(name) !== line).map(([, line]) => line);
    this.#last = now;
    return [...changed, ...gone];
  }
}

function lineOf(item: CanarySummary): string {
  const { namespace, name, traffic, failedChecks, threshold } = item;
  const failed = threshold === undefined ? `${failedChecks}` : `${failedChecks} of ${threshold}`;
  return `${namespace}/${name}: ${phaseText(item)}, canary traffic ${trafficInWords(traffic)}, failed checks ${failed}`;
}
