import { open, readFile, rename } from 'node:fs/promises';
import * as z from 'zod';
import { parseJson } from '../base/json.ts';

export type GateKind = 'gate' | 'rollback';

/** Gates that are open; every other one is closed, and a question leaves no trace. */
export interface Gates {
  isOpen(kind: GateKind, namespace: string, name: string): boolean;
  /** Resolves once the state would survive a restart, with false if too many gates are open already. */
  set(kind: GateKind, namespace: string, name: string, isOpen: boolean): Promise<boolean>;
}

const State = z.object({
  version: z.literal(1),
  open: z.array(z.object({ kind: z.enum(['gate', 'rollback']), namespace: z.string(), name: z.string() })),
});
const MOST_OPEN = 10_000;
/** JSON of a list: with a separator, a Canary named `rollback.x` would share a key with the rollback gate of `x`. */
const keyOf = (kind: GateKind, namespace: string, name: string): string => JSON.stringify([kind, namespace, name]);

/** Without a file the gates are closed after each start. `onUnreadable` hears of a file that was put aside. */
export async function openGates(file: string | undefined, onUnreadable: (aside: string) => void): Promise<Gates> {
  const openGates = file === undefined ? new Set<string>() : await readState(file, onUnreadable);
  const openOf = new Map<string, number>();
  const count = (key: string, by: 1 | -1) => {
    const [, namespace] = JSON.parse(key) as [GateKind, string, string];
    const left = (openOf.get(namespace) ?? 0) + by;
    if (left === 0) openOf.delete(namespace);
    else openOf.set(namespace, left);
  };
  for (const key of openGates) count(key, 1);
  let lastWrite: Promise<unknown> = Promise.resolve();
  return {
    isOpen: (kind, namespace, name) => openGates.has(keyOf(kind, namespace, name)),
    set(kind, namespace, name, isOpen) {
      const change = async (): Promise<boolean> => {
        const key = keyOf(kind, namespace, name);
        if (openGates.has(key) === isOpen) return true;
        // A namespace opens another while it has fewer open than can still be opened: space is left for others (I15).
        if (isOpen && (openOf.get(namespace) ?? 0) >= MOST_OPEN - openGates.size) return false;
        // Before it counts: an answer must not promise what a restart would forget.
        if (file !== undefined) await writeState(file, [...openGates].filter((other) => other !== key).concat(isOpen ? [key] : []));
        if (isOpen) openGates.add(key);
        else openGates.delete(key);
        count(key, isOpen ? 1 : -1);
        return true;
      };
      const done = lastWrite.then(change);
      lastWrite = done.catch(() => undefined);
      return done;
    },
  };
}

async function readState(file: string, onUnreadable: (aside: string) => void): Promise<Set<string>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return new Set();
  const state = State.safeParse(parseJson(text));
  if (state.success) return new Set(state.data.open.map(({ kind, namespace, name }) => keyOf(kind, namespace, name)));
  // Closed is the safe side; the file stays for the operator.
  const aside = `${file}.unreadable`;
  await rename(file, aside);
  onUnreadable(aside);
  return new Set();
}

/** Whole or not at all: written beside, flushed, and put in its place. */
async function writeState(file: string, keys: readonly string[]): Promise<void> {
  const gates = keys.map((key) => {
    const [kind, namespace, name] = JSON.parse(key) as [GateKind, string, string];
    return { kind, namespace, name };
  });
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify({ version: 1, open: gates }, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}
