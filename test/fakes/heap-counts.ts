import { Session } from 'node:inspector/promises';
import v8 from 'node:v8';

/** Everything that can be reached on this process's heap, after a full collection. */
export interface HeapCounts {
  objects: number;
  /** Entries of all Maps and Sets, since an entry of text makes no object; without sets of fields, which the embedded API server keeps with its objects. */
  entries: number;
  /** Without machine code and bytecode: V8 compiles functions as they become hot, so their size says nothing of what is remembered. */
  bytes: number;
}

const CODE_SPACES = new Set(['code_space', 'code_large_object_space', 'trusted_space', 'trusted_large_object_space']);

const ENTRIES = `function () {
  let sum = 0;
  for (const one of this) {
    // The prototype is among them, and has no size.
    if (Object.hasOwn(one, 'constructor')) continue;
    const [first] = one.keys();
    if (typeof first !== 'string' || !first.startsWith('f:')) sum += one.size;
  }
  return sum;
}`;

export async function heapCounts(): Promise<HeapCounts> {
  const entries = (await entriesOf('Map')) + (await entriesOf('Set'));
  // Counting collects all garbage first.
  return { objects: v8.queryObjects(Object, { format: 'count' }), entries, bytes: bytesWithoutCode() };
}

const bytesWithoutCode = (): number =>
  v8
    .getHeapSpaceStatistics()
    .filter(({ space_name }) => !CODE_SPACES.has(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);

async function entriesOf(type: 'Map' | 'Set'): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    const { result: prototype } = await session.post('Runtime.evaluate', { expression: `${type}.prototype` });
    const { objects } = await session.post('Runtime.queryObjects', { prototypeObjectId: prototype.objectId ?? '' });
    const { result } = await session.post('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: ENTRIES,
      returnByValue: true,
    });
    return Number(result.value);
  } finally {
    session.disconnect();
  }
}
