import { describe, expect, it } from 'vitest';
import { FakeTerminal } from '../../../test/fakes/fake-terminal.ts';
import { onKeys } from './keys.ts';

function heard(terminal: FakeTerminal) {
  const said: string[] = [];
  const stop = onKeys(terminal, { onKey: (key) => said.push(key), onSignal: (signal) => said.push(signal) });
  return { said, stop };
}

describe('keys', () => {
  it('are heard one by one, Ctrl-C as SIGINT, and arrows not at all', () => {
    const terminal = new FakeTerminal();
    const { said, stop } = heard(terminal);
    expect(terminal.isRaw).toBe(true);
    terminal.press('pq');
    terminal.press('\x1b[A');
    terminal.press('\x1bOp');
    terminal.press('\x03');
    terminal.send('SIGHUP');
    expect(said).toEqual(['p', 'q', 'SIGINT', 'SIGHUP']);
    stop();
    terminal.press('p');
    expect(said).toHaveLength(4);
    expect([terminal.isRaw, terminal.listeners]).toEqual([false, 0]);
  });
  it('without a terminal on stdin only signals are heard, and stdin is not touched', () => {
    const terminal = new FakeTerminal();
    terminal.input.isTTY = false;
    const { said, stop } = heard(terminal);
    terminal.press('p');
    terminal.send('SIGTERM');
    expect(said).toEqual(['SIGTERM']);
    expect(terminal.isRaw).toBe(false);
    stop();
  });
});
