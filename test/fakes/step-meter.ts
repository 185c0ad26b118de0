/** V8 compares each place again once the sought text is longer than its tables. */
const LONGEST_SOUGHT = 250;

type Charge = (steps: number) => void;
type Patch = (charge: Charge, own: (this: unknown, ...args: unknown[]) => unknown) => (this: unknown, ...args: unknown[]) => unknown;

/** More steps than were allowed; the run is cut off there. */
export class StepsExceeded extends Error {
  override readonly name = 'StepsExceeded';
}

/** Runs `work` and gives the steps that it took; throws once they are more than `most`. */
type CountSteps = (work: () => void, most: number) => number;

/**
 * Runs `work` and counts its steps: each call of a built-in function of texts, lists and objects costs as many as it has characters or entries
 * to go through. One search by a regular expression costs what it has passed over, since test/regex-cost.test.ts holds that it takes no more.
 */
export const countSteps: CountSteps = (work, most) => withStepMeter((count) => count(work, most));

/** The same many times: after each change of a built-in function, the engine compiles all its callers again. */
export function withStepMeter<T>(run: (count: CountSteps) => T): T {
  let steps = 0;
  let limit = 0;
  let isCounting = false;
  let exceeded = new StepsExceeded();
  const charge: Charge = (more) => {
    if (!isCounting) return;
    steps += more;
    if (steps > limit) throw exceeded;
  };
  const undo = patches().map(([holder, name, patch]) => {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    if (!descriptor) throw new Error(`no built-in ${String(name)}`);
    Object.defineProperty(holder, name, { ...descriptor, value: patch(charge, descriptor.value) });
    return () => Object.defineProperty(holder, name, descriptor);
  });
  try {
    return run((work, most) => {
      // Created beforehand: creating an error also takes steps.
      exceeded = new StepsExceeded(`more than ${most} steps`);
      // One for the call: where nothing is counted, twice as much is still twice as much.
      [steps, limit, isCounting] = [1, most, true];
      try {
        work();
      } finally {
        isCounting = false;
      }
      // Also where the code under test has caught the error.
      if (steps > most) throw exceeded;
      return steps;
    });
  } finally {
    for (const one of undo) one();
  }
}

const sizeOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 1);

const whole: Patch = (charge, own) =>
  function patched(...args) {
    charge(1 + sizeOf(this));
    return own.apply(this, args);
  };

const argument: Patch = (charge, own) =>
  function patched(...args) {
    const [value] = args;
    charge(1 + (typeof value === 'object' && value !== null ? Reflect.ownKeys(value).length : sizeOf(value)));
    return own.apply(this, args);
  };

const result: Patch = (charge, own) =>
  function patched(...args) {
    const found = own.apply(this, args);
    charge(1 + sizeOf(found));
    return found;
  };

/** Charges one character; called most often. */
const single: Patch = (charge, own) =>
  function patched(at) {
    charge(1);
    return own.call(this, at);
  };

/** `indexOf`, `includes` and their like: up to the place that is found. */
const search: Patch = (charge, own) =>
  function patched(...args) {
    const found = own.apply(this, args);
    const [sought, from = 0] = args;
    const passed = typeof found === 'number' && found >= 0 ? Math.abs(found - Number(from)) : sizeOf(this) - Number(from);
    charge(1 + Math.max(0, passed) * Math.ceil(Math.max(1, sizeOf(sought)) / LONGEST_SOUGHT));
    return found;
  };

/** `replace`, `split` and their like: by a text as `search`, by a pattern once over all of it. */
const pass: Patch = (charge, own) =>
  function patched(...args) {
    charge(1 + sizeOf(this) * Math.ceil(Math.max(1, typeof args[0] === 'string' ? args[0].length : 1) / LONGEST_SOUGHT));
    const { exec } = RegExp.prototype;
    RegExp.prototype.exec = ownExec;
    try {
      return own.apply(this, args);
    } finally {
      RegExp.prototype.exec = exec;
    }
  };

const ownExec = RegExp.prototype.exec;

const execute: Patch = (charge) =>
  function patched(...args) {
    const pattern = this as RegExp;
    const text = String(args[0]);
    const from = pattern.global || pattern.sticky ? pattern.lastIndex : 0;
    const found = ownExec.call(pattern, text);
    charge(1 + (found ? found.index + found[0].length - from : Math.max(0, text.length - from)));
    return found;
  };

function patches(): [object, PropertyKey, Patch][] {
  const of = (holder: object, patch: Patch, names: readonly PropertyKey[]) =>
    names.map((name): [object, PropertyKey, Patch] => [holder, name, patch]);
  const { prototype: text } = String;
  const { prototype: list } = Array;
  return [
    ...of(text, pass, ['replace', 'replaceAll', 'split', 'match', 'matchAll', 'search']),
    ...of(text, search, ['indexOf', 'includes', 'lastIndexOf']),
    ...of(text, result, ['slice', 'substring', 'repeat', 'padStart', 'padEnd']),
    ...of(text, argument, ['startsWith', 'endsWith']),
    ...of(text, single, ['charAt', 'charCodeAt', 'codePointAt', 'at']),
    ...of(text, whole, ['trim', 'trimStart', 'trimEnd', 'toLowerCase', 'toUpperCase', 'toWellFormed', Symbol.iterator]),
    ...of(list, search, ['indexOf', 'includes']),
    ...of(list, result, ['slice', 'concat']),
    ...of(list, whole, ['map', 'flatMap', 'filter', 'find', 'findIndex', 'findLast', 'some', 'every', 'reduce', 'forEach', 'join', 'flat']),
    ...of(list, whole, ['sort', 'toSorted', 'reverse', 'shift', 'unshift', 'splice', 'entries', 'keys', 'values', Symbol.iterator]),
    ...of(RegExp.prototype, execute, ['exec']),
    ...of(Object, argument, ['entries', 'keys', 'values', 'fromEntries', 'assign']),
    ...of(JSON, argument, ['parse']),
    ...of(JSON, result, ['stringify']),
    ...of(URL, argument, ['parse']),
    ...of(Buffer, argument, ['from', 'byteLength', 'concat']),
    ...of(globalThis, argument, ['encodeURIComponent', 'decodeURIComponent']),
  ];
}
