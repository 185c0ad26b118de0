/** A key or an index on the way to a field. */
export type PathStep = PropertyKey;

const plain = /^[A-Za-z_][\w-]*$/;

/** `['spec', 'match', 0, 'x.y']` → `spec.match[0]["x.y"]`. Keys of foreign objects can be huge: each is cut to 80 characters. */
export function fieldPath(steps: readonly PathStep[]): string {
  const parts = steps.map((step, index) => {
    if (typeof step === 'number') return `[${step}]`;
    const key = String(step);
    if (!plain.test(key) || key.length > 80) return `[${shorten(key)}]`;
    return index === 0 ? key : `.${key}`;
  });
  return parts.join('');
}

/** The reverse of `fieldPath`, for finding a field's place in its file. */
export function fieldSteps(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")…?\]|([A-Za-z_][\w-]*)/g)].map(([, index, quoted, key]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (key ?? '') : String(JSON.parse(quoted));
  });
}

/** A value as JSON for a message, at most 80 characters of it. */
export function shorten(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 60)).slice(0, 78)}…` : cut(JSON.stringify(value));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return cut(String(value));
}

function cut(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
