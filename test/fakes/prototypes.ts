const HOLDERS = [Object, Array, Function, String, Number, Boolean, RegExp, Date, Map, Set, Promise, Error, Symbol, URL, Buffer].flatMap(
  (type) => [type, type.prototype as object],
);
/** Results nest no deeper than what they were read from, and the start of it is enough. */
const DEEPEST = 30;

type Descriptors = ReadonlyMap<PropertyKey, PropertyDescriptor>;

const descriptorsOf = (holder: object): Descriptors =>
  new Map(
    Reflect.ownKeys(holder).flatMap((name) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(holder, name);
      return descriptor ? [[name, descriptor] as const] : [];
    }),
  );

/** Properties that every object inherits at this moment. */
export function prototypesNow(): { expectSame(): void; expectNoneFrom(result: unknown): void } {
  const known = HOLDERS.map((holder) => [holder, descriptorsOf(holder)] as const);
  return {
    expectSame() {
      for (const [holder, before] of known) {
        const changed = firstChange(before, descriptorsOf(holder));
        if (changed !== undefined) throw new Error(`${String(changed)} of what every ${nameOf(holder)} inherits has changed`);
      }
    },
    expectNoneFrom: (result) => inspect(result, 0, new Set()),
  };
}

function firstChange(before: Descriptors, now: Descriptors): PropertyKey | undefined {
  for (const [name, { value, get, set }] of before) {
    const found = now.get(name);
    if (!Object.is(found?.value, value) || found?.get !== get || found?.set !== set) return name;
  }
  return [...now.keys()].find((name) => !before.has(name));
}

/** A value whose prototype is data came from an assignment to `__proto__`. */
function inspect(value: unknown, depth: number, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || depth > DEEPEST || seen.has(value)) return;
  seen.add(value);
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype !== null && !Object.hasOwn(prototype, 'constructor')) throw new Error('a result has data as its prototype');
  for (const inner of Object.values(value)) inspect(inner, depth + 1, seen);
}

const nameOf = (holder: object): string => (typeof holder === 'function' ? holder.name : holder.constructor.name);
