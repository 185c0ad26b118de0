import type { AlertMessage, Notifier, SendOutcome } from '../../src/notifiers/notifier.ts';

/** Keeps what it is given; for tests and rehearsals. `answers` are used up first, then all is well. */
export function memoryNotifier(answers: SendOutcome[] = []): Notifier & { readonly sent: readonly AlertMessage[] } {
  const sent: AlertMessage[] = [];
  return {
    sent,
    async send(message, signal) {
      signal.throwIfAborted();
      sent.push(message);
      return answers.shift() ?? { ok: true };
    },
  };
}
