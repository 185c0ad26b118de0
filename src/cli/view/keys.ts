/** The standard input, as far as keys need it. */
export interface KeyStream {
  isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', listener: (data: Buffer) => void): unknown;
  off(event: 'data', listener: (data: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Signals that end a live view, after the terminal is restored. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof endSignals)[number];

/** The user of a live view: keys and signals. */
export interface Keyboard {
  input: KeyStream;
  signals: {
    on(signal: EndSignal | 'exit', listener: () => void): unknown;
    off(signal: EndSignal | 'exit', listener: () => void): unknown;
  };
  /** Ends this process by the signal, so that its parent sees the usual exit code. */
  raise(signal: EndSignal): void;
}

/** The keyboard of this process. */
export const processKeyboard = (): Keyboard => ({
  input: process.stdin,
  signals: process,
  raise: (signal) => process.kill(process.pid, signal),
});

const CTRL_C = '\x03';
const ESCAPE = '\x1b';

/** Calls back for each key and signal; Ctrl-C is SIGINT. Returns the function that stops it. Without a terminal on stdin no key is read. */
export function onKeys(
  { input, signals }: Pick<Keyboard, 'input' | 'signals'>,
  { onKey, onSignal }: { onKey(key: string): void; onSignal(signal: EndSignal): void },
): () => void {
  const heed = (data: Buffer) => {
    const keys = data.toString('utf8');
    // Arrows and function keys are sequences, whose letters are no keys.
    if (keys.startsWith(ESCAPE)) return;
    for (const key of keys) {
      if (key === CTRL_C) onSignal('SIGINT');
      else onKey(key);
    }
  };
  const listeners = endSignals.map((signal) => ({ signal, listener: () => onSignal(signal) }));
  for (const { signal, listener } of listeners) signals.on(signal, listener);
  const hasKeys = input.isTTY === true;
  if (hasKeys) {
    input.setRawMode?.(true);
    input.on('data', heed);
    input.resume();
  }
  return () => {
    for (const { signal, listener } of listeners) signals.off(signal, listener);
    if (!hasKeys) return;
    input.off('data', heed);
    input.setRawMode?.(false);
    input.pause();
  };
}
