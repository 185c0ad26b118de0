import fc from 'fast-check';

/** Words of the grammars that tenants write, and what each of their readers stops at. */
const TOKENS = [
  ...[
    '{{',
    '}}',
    '{{ target }}',
    '{{ range variables }}',
    '{{ end }}',
    '{{if',
    '{{- ',
    '$x := ',
    'printf ',
    '%s',
    '%q',
    '|',
    ' | html',
    'index ',
  ],
  ...[
    '"',
    "'",
    '`',
    '\\',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '(?:',
    '(?=',
    '.*',
    '+',
    '*',
    '?',
    '^',
    '$',
    '[^',
    '[[:alpha:]]',
    '\\w',
    '\\|',
  ],
  ...['http://', 'https://', 'a@b', '/', '//', '..', ':', '%2e', '%', '?', '&', '=', '#', '://[', '[::1]', '169.254.169.254', ':0', 'xn--'],
  ...[
    ',',
    ';',
    ' in (',
    ' notin ',
    '!',
    '!=',
    '==',
    '>',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\0',
    '\u001b[2J',
    '\u2028',
    '\u202e',
    '😀',
    '\ud800',
    'é',
  ],
  ...[
    '1',
    '0',
    '-1',
    '1e9',
    '1e400',
    'NaN',
    'Infinity',
    '0x1',
    '1m',
    '1h1m',
    '500ms',
    '1.',
    '1Ki',
    '9007199254740993',
    'null',
    'true',
    'false',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'then', 'name', 'namespace', 'metadata'],
  ...[
    '"a":',
    '{"a":',
    '[1,',
    '},',
    'sum(rate(',
    '[1m]',
    ')) by (',
    'hey ',
    'curl ',
    ' grep ',
    ' -e ',
    '-H',
    '--',
    '-z 1m ',
    'Path(',
    'Header("a", "b")',
  ],
  ...[
    'promote ',
    'rollback ',
    'smi:',
    'istio',
    'Bearer ',
    'spec.',
    'app',
    '-primary',
    '-canary',
    'a',
    'b',
    '_',
    '-',
    '.',
    '@here',
    '](',
    'keptnmetric/',
  ],
];
/** Up to this length of a text or, of JSON, the depth. */
const LONGEST_RUN = 4_000;
const DEEPEST = 3_000;

const token = fc.constantFrom(...TOKENS);
const few = fc
  .array(fc.oneof({ weight: 4, arbitrary: token }, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 })
  .map((all) => all.join(''));

/** A few tokens, or a run of them between others: what costs more than its length shows in a run. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: few },
  {
    weight: 1,
    arbitrary: fc
      .tuple(few, fc.array(token, { minLength: 1, maxLength: 3 }), fc.nat({ max: LONGEST_RUN }), few)
      .map(([head, unit, times, tail]) => head + unit.join('').repeat(Math.ceil(times / unit.join('').length)) + tail),
  },
);

const key = fc.oneof({ weight: 3, arbitrary: token }, fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'toJSON'), few);
const leaf = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -0, -1, 0.5, 2 ** 53, 1e300, -1e300, Number.MAX_SAFE_INTEGER),
  fc.integer(),
  fc.double({ noNaN: true }),
);

/** An object with its own `__proto__`, as `JSON.parse` makes it. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const made = {};
  for (const [name, value] of entries) Object.defineProperty(made, name, { value, enumerable: true, writable: true, configurable: true });
  return made;
}

const nested = (depth: number, isList: boolean): unknown => {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = isList ? [value] : { a: value };
  return value;
};

/** Any JSON content: deep, wide, and with the names of properties that every object has. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  {
    weight: 4,
    arbitrary: fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(objectOf),
      ),
    })).value,
  },
  { weight: 1, arbitrary: fc.tuple(fc.nat({ max: DEEPEST }), fc.boolean()).map(([depth, isList]) => nested(depth, isList)) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat({ max: 1_500 }), leaf, fc.boolean()).map(([count, value, isList]) => {
      const values = Array.from({ length: count }, () => value);
      return isList ? values : objectOf(values.map((one, at) => [`k${at}`, one]));
    }),
  },
);

type Way = readonly (string | number)[];

function* placesIn(value: unknown, way: Way = []): Generator<Way> {
  if (way.length > 0) yield way;
  if (typeof value !== 'object' || value === null) return;
  for (const name of Object.keys(value)) yield* placesIn((value as Record<string, unknown>)[name], [...way, name]);
}

const at = (value: unknown, way: Way): unknown =>
  way.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);

function put(holder: unknown, way: Way, value: unknown): void {
  const [name, ...rest] = way;
  if (name === undefined || typeof holder !== 'object' || holder === null) return;
  // JSON has no `length`, and no names in a list.
  if (Array.isArray(holder) && typeof name === 'string' && !/^\d{1,5}$/.test(name)) return;
  if (rest.length > 0) put((holder as Record<string, unknown>)[name], rest, value);
  else Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true });
}

function drop(holder: unknown, way: Way): void {
  const parent = at(holder, way.slice(0, -1));
  if (typeof parent === 'object' && parent !== null) delete (parent as Record<string, unknown>)[String(way.at(-1))];
}

type Edit = { place: number } & ({ text: string } | { value: unknown } | { drop: true } | { key: string; value: unknown });

/**
 * Good objects with one to four places changed. `textsOnly`: the API server holds them to their types, so another text is all there is;
 * `within`: it holds all but this field to them.
 */
export function changed(
  samples: readonly object[],
  { textsOnly = false, within }: { textsOnly?: boolean; within?: string } = {},
): fc.Arbitrary<unknown> {
  const places = samples.map((sample) => [...placesIn(sample)].filter(([top]) => within === undefined || top === within));
  const texts = samples.map((sample, nth) => (places[nth] ?? []).filter((way) => typeof at(sample, way) === 'string'));
  const place = fc.nat({ max: 100_000 });
  const text = fc.record({ place, text: hostileText });
  const other = fc.oneof(
    fc.record({ place, value: hostileJson }),
    fc.record({ place, drop: fc.constant(true as const) }),
    fc.record({ place, key, value: hostileJson }),
  );
  const edits: fc.Arbitrary<Edit[]> = fc.array(textsOnly ? text : fc.oneof(text, other), { minLength: 1, maxLength: 4 });
  return fc.tuple(fc.nat({ max: samples.length - 1 }), edits).map(([nth, wanted]) => {
    const sample = structuredClone(samples[nth]) as object;
    for (const edit of wanted) {
      const ways = ('text' in edit ? texts : places)[nth] ?? [];
      const way = ways[edit.place % ways.length];
      if (way === undefined) continue;
      if ('text' in edit) put(sample, way, edit.text);
      else if ('drop' in edit) drop(sample, way);
      else if ('key' in edit) put(sample, [...way, edit.key], edit.value);
      else put(sample, way, edit.value);
    }
    return sample;
  });
}
