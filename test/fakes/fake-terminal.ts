import { EventEmitter } from 'node:events';
import type { EndSignal, Keyboard } from '../../src/cli/view/keys.ts';

/** The keyboard of a terminal that a test types on. */
export class FakeTerminal implements Keyboard {
  readonly #keys = new EventEmitter();
  readonly signals = new EventEmitter();
  readonly raised: EndSignal[] = [];
  isRaw = false;

  readonly input = {
    isTTY: true,
    setRawMode: (isRaw: boolean): void => {
      this.isRaw = isRaw;
    },
    on: (event: 'data', listener: (data: Buffer) => void): void => void this.#keys.on(event, listener),
    off: (event: 'data', listener: (data: Buffer) => void): void => void this.#keys.off(event, listener),
    resume: (): void => undefined,
    pause: (): void => undefined,
  };

  press(keys: string): void {
    this.#keys.emit('data', Buffer.from(keys));
  }

  send(signal: EndSignal): void {
    this.signals.emit(signal);
  }

  raise(signal: EndSignal): void {
    this.raised.push(signal);
  }

  /** Listeners that are left. */
  get listeners(): number {
    const names = this.signals.eventNames();
    return this.#keys.listenerCount('data') + names.reduce((sum, name) => sum + this.signals.listenerCount(name), 0);
  }
}
