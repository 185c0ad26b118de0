import * as z from 'zod';
import { parseJson } from '../base/json.ts';

/** The payload of a Canary's webhook; absent fields are empty. */
export interface Payload {
  name: string;
  namespace: string;
  phase: string;
  /** Names the revision under analysis. */
  checksum: string;
  metadata: ReadonlyMap<string, string>;
}

const Text = z.string().max(253).nullish();
const Sent = z
  .object({ name: Text, namespace: Text, phase: Text, checksum: Text, metadata: z.record(z.string(), z.unknown()).nullish() })
  .nullable();

/** Reads JSON as Flagger's load tester does: `null` and `{}` are payloads, a key of metadata without a text is left out. */
export function readPayload(body: Buffer): Payload | { problem: string } {
  const json = parseJson(body.toString('utf8'));
  // Also what is nested too deeply to be read.
  if (json === undefined) return { problem: 'the body is not JSON' };
  const sent = Sent.safeParse(json);
  if (!sent.success) {
    const [issue] = sent.error.issues;
    return { problem: `the payload is not one of a Canary's webhook: ${issue?.path.join('.') || 'it'} is ${issue?.code ?? 'wrong'}` };
  }
  const metadata = new Map<string, string>();
  // Read from the parsed JSON into a Map: a key like `__proto__` is then an ordinary key.
  for (const [key, value] of Object.entries((json as { metadata?: object | null } | null)?.metadata ?? {})) {
    if (typeof value !== 'string' && value !== null) return { problem: `metadata.${key.slice(0, 40)} must be a text` };
    metadata.set(key, value ?? '');
  }
  const { name, namespace, phase, checksum } = sent.data ?? {};
  return { name: name ?? '', namespace: namespace ?? '', phase: phase ?? '', checksum: checksum ?? '', metadata };
}
