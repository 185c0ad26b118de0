/** The standard input, as far as keys need it. */
export interface KeyStream {
  isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', listener: (data: Buffer) => void): unknown;
  off(event: 'data', listener: (data: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

const CTRL_C = '\x03';

/** Calls back on `q`, Ctrl-C, SIGINT and SIGTERM, so that the terminal can be restored first; returns what stops it. */
export function onQuit(input: KeyStream, quit: () => void): () => void {
  const heed = (data: Buffer) => {
    const keys = data.toString('utf8');
    if (keys.includes('q') || keys.includes(CTRL_C)) quit();
  };
  process.on('SIGINT', quit);
  process.on('SIGTERM', quit);
  // Without a terminal on stdin there are no keys, and signals end the command.
  const hasKeys = input.isTTY === true;
  if (hasKeys) {
    input.setRawMode?.(true);
    input.on('data', heed);
    input.resume();
  }
  return () => {
    process.off('SIGINT', quit);
    process.off('SIGTERM', quit);
    if (!hasKeys) return;
    input.off('data', heed);
    input.setRawMode?.(false);
    input.pause();
  };
}
