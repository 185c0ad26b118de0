import type { Clock } from '../../kube/clock.ts';
import type { Output } from '../output/output.ts';
import { type KeyStream, onQuit } from './keys.ts';
import { LiveScreen } from './live-screen.ts';
import type { ReleaseView } from './release-view.ts';
import { statusView } from './status-view.ts';

/** Ages and the time to the next check go on between changes. */
const REDRAW_MS = 1000;
const FOOTER = 'q quit';

/**
 * Shows each view as it comes, until the views end, one fails, or the user quits. The screen before comes back in each case. Redrawing asks the
 * cluster for nothing.
 */
export async function liveStatus(
  views: AsyncGenerator<ReleaseView>,
  { output, clock, input }: { output: Output; clock: Clock; input: KeyStream },
): Promise<void> {
  const screen = new LiveScreen(output.stream, output.terminal);
  let shown: ReleaseView | undefined;
  const draw = () => {
    const view = shown;
    if (view === undefined) return;
    screen.draw((terminal, rows) => [...statusView(view, terminal, rows - 1, clock.nowMs()), FOOTER]);
  };
  const quit = Promise.withResolvers<'quit'>();
  const stopKeys = onQuit(input, () => quit.resolve('quit'));
  const timer = setInterval(draw, REDRAW_MS);
  const restore = () => screen.close();
  process.once('exit', restore);
  process.on('SIGWINCH', draw);
  try {
    for (;;) {
      const next = views.next();
      // A failure after the user has quit is of no interest.
      next.catch(() => undefined);
      const turn = await Promise.race([next, quit.promise]);
      if (turn === 'quit' || turn.done) return;
      shown = turn.value;
      draw();
    }
  } finally {
    clearInterval(timer);
    process.off('SIGWINCH', draw);
    process.off('exit', restore);
    stopKeys();
    restore();
  }
}
