/** One alert, in no receiver's own format. */
export interface AlertMessage {
  /** Idempotency key of the delivery, stable over retries. */
  key: string;
  canary: { name: string; namespace: string };
  severity: 'info' | 'warn' | 'error';
  text: string;
  /** Title and value, in the order to show (05 §6.2). */
  fields: readonly { name: string; value: string }[];
}

export type SendOutcome = { ok: true } | { ok: false; reason: string; retry: boolean };

/** A receiver of alerts. An expected failure is a value; only an aborted `signal` throws. */
export interface Notifier {
  send(message: AlertMessage, signal: AbortSignal): Promise<SendOutcome>;
}
