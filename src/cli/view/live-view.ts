import { type Clock, every } from '../../base/clock.ts';
import type { Output } from '../output/output.ts';
import { paint } from '../output/paint.ts';
import type { Terminal } from '../output/terminal.ts';
import { cleaned, cut } from '../output/text.ts';
import { type EndSignal, type Keyboard, onKeys } from './keys.ts';
import { LiveScreen } from './live-screen.ts';

/** Ages and the time to the next check go on between changes. */
const REDRAW_MS = 1000;

/** Where values come from, until the signal aborts. */
export type LiveSource<T> = (
  to: { show(value: T): void; connection(lost: string | undefined): void },
  signal: AbortSignal,
) => Promise<void>;

/** Keys of a view beside `q`, and their results. */
export interface KeyPanel<T> {
  /** Returns true if the key was for this panel, and does not quit. */
  heed(key: string, value: T): boolean;
  /** Instead of the view, as an answer of `w`. */
  cover(terminal: Terminal): readonly string[] | undefined;
  /** Below the view. */
  footer(value: T, terminal: Terminal): readonly string[];
}

/** A screen that is drawn again. */
export interface LiveView<T> {
  source: LiveSource<T>;
  lines(value: T, terminal: Terminal, rows: number, nowMs: number): readonly string[];
  /** Made with a function that draws again after an answer. */
  panel?(redraw: () => void): KeyPanel<T>;
}

/**
 * Shows each new value, until the source ends or fails, or the user quits. The previous screen comes back in each case. Redrawing sends no request to the
 * cluster. A signal ends the process after that.
 */
export async function liveView<T>(
  { source, lines, panel }: LiveView<T>,
  { output, clock, keyboard }: { output: Output; clock: Clock; keyboard: Keyboard },
): Promise<void> {
  const screen = new LiveScreen(output.stream, output.terminal);
  const stopping = new AbortController();
  let shown: { value: T } | undefined;
  let lost: string | undefined;
  let ended: EndSignal | undefined;
  const keys = panel?.(() => draw());
  const draw = () => {
    if (shown === undefined || stopping.signal.aborted) return;
    const { value } = shown;
    screen.draw((terminal, rows) => {
      const below = [...lostLines(lost, terminal), ...(keys?.footer(value, terminal) ?? ['q quit'])];
      const room = Math.max(0, rows - below.length);
      return [...(keys?.cover(terminal) ?? lines(value, terminal, room, clock.nowMs())).slice(0, room), ...below];
    });
  };
  const stopKeys = onKeys(keyboard, {
    onKey: (key) => {
      const isHeeded = shown !== undefined && keys?.heed(key, shown.value) === true;
      if (key === 'q' && !isHeeded) stopping.abort();
      else draw();
    },
    onSignal: (signal) => {
      ended = signal;
      stopping.abort();
    },
  });
  const stopTimer = every(clock, REDRAW_MS, draw);
  const restore = () => screen.close();
  keyboard.signals.on('exit', restore);
  output.stream.on?.('resize', draw);
  const to = {
    show: (value: T) => {
      shown = { value };
      draw();
    },
    connection: (why: string | undefined) => {
      lost = why;
      draw();
    },
  };
  try {
    await source(to, stopping.signal);
  } finally {
    stopping.abort();
    stopTimer();
    stopKeys();
    output.stream.off?.('resize', draw);
    keyboard.signals.off('exit', restore);
    restore();
  }
  if (ended !== undefined) keyboard.raise(ended);
}

function lostLines(lost: string | undefined, terminal: Terminal): string[] {
  if (lost === undefined) return [];
  return [paint(cut(cleaned(`connection lost, trying again: ${lost}`, terminal), terminal.columns, terminal), 'bad', terminal)];
}
