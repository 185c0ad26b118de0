import { type Entry, ofKind } from '../recording/recording.ts';

/** No side calls one hook twice within an interval of 10 s; on a busy machine a tick that comes late is soon followed by the next. */
const RAPID_MS = 2_500;

export interface HookCalls {
  /** Phase in the payload and answer, repeated equal calls only once: the number of calls of a closed gate depends on time. */
  calls: string[];
  /** Calls that were answered yes. */
  passes: number;
  /** Calls that came less than an interval after the previous call. */
  rapid: number;
  payload: string[];
  metadata: string[];
}

export function hookCalls(entries: readonly Entry[], hook: string): HookCalls {
  const calls = ofKind(entries, 'hook').filter((entry) => entry.hook === hook);
  const texts = calls.map(({ payload, answer }) => `${payload.phase} → ${answer}`);
  const keysOf = (value: unknown): string[] => Object.keys((value as object | undefined) ?? {});
  const all = (keys: string[][]) => [...new Set(keys.flat())].sort();
  return {
    calls: texts.filter((text, index) => text !== texts[index - 1]),
    passes: calls.filter(({ answer }) => answer < 300).length,
    rapid: calls.filter(({ atMs }, index) => index > 0 && atMs - (calls[index - 1]?.atMs ?? 0) < RAPID_MS).length,
    payload: all(calls.map(({ payload }) => keysOf(payload))),
    metadata: all(calls.map(({ payload }) => keysOf(payload.metadata))),
  };
}

/** Hooks by their first calls. */
export const hookOrder = (entries: readonly Entry[]): string[] => [...new Set(ofKind(entries, 'hook').map(({ hook }) => hook))];

/** The checksums that each hook has received, each once and in order, as letters: another revision is another letter. */
export function checksums(entries: readonly Entry[]): Map<string, string[]> {
  const letters = new Map<unknown, string>();
  const received = new Map<string, string[]>();
  for (const { hook, payload } of ofKind(entries, 'hook')) {
    if (!letters.has(payload.checksum)) letters.set(payload.checksum, String.fromCharCode(65 + letters.size));
    const letter = letters.get(payload.checksum) ?? '';
    const before = received.get(hook) ?? [];
    if (!before.includes(letter)) received.set(hook, [...before, letter]);
  }
  return received;
}
