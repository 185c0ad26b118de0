import type { AlertMessage } from './notifier.ts';

type Field = AlertMessage['fields'][number];

/** Size limits of a receiver for the texts of one alert. They are measured after the markup in the texts was escaped. */
export interface TextLimits {
  text: number;
  fields: number;
  name: number;
  value: number;
  /** Limit of all of them together. */
  total: number;
  /** Unit of `total`: characters, or bytes of the body. */
  totalIn: 'characters' | 'bytes';
}

/** Reserved for the field that counts the fields left out. */
const RESERVE = 60;
const CUT = '…';
/** Longest text that is looked at. No receiver has room for more. */
const MOST_READ = 16_384;

/** The texts of an alert, escaped and within the limits of its receiver. Text comes first; fields that do not fit are counted in the last one. */
export function fitted(
  { text, fields }: Pick<AlertMessage, 'text' | 'fields'>,
  limits: TextLimits,
  clean: (text: string) => string,
): { text: string; fields: Field[] } {
  const sizeOf = limits.totalIn === 'bytes' ? bytesOf : (one: string) => one.length;
  let left = limits.total - RESERVE;
  /** `-` instead of an empty text, which receivers refuse. */
  const take = (one: string, most: number): string =>
    cleanUpTo(one, (short) => short.length <= most && sizeOf(short) <= left, clean) || '-';
  const shortText = take(text, limits.text);
  left -= sizeOf(shortText);
  const kept: Field[] = [];
  for (const field of fields) {
    const name = take(field.name, limits.name);
    const value = take(field.value, limits.value);
    const size = sizeOf(name) + sizeOf(value);
    const isLast = kept.length + 1 === limits.fields && fields.length > limits.fields;
    if (isLast || size > left) break;
    left -= size;
    kept.push({ name, value });
  }
  const missing = fields.length - kept.length;
  return { text: shortText, fields: missing > 0 ? [...kept, { name: 'More fields', value: String(missing) }] : kept };
}

/** The longest beginning whose escaped form fits; half an entity is none. */
export function cleanUpTo(text: string, fits: (short: string) => boolean, clean: (text: string) => string): string {
  const read = text.slice(0, MOST_READ).toWellFormed();
  const whole = clean(read);
  if (fits(whole)) return whole;
  const letters = Array.from(read);
  const begin = (length: number) => clean(letters.slice(0, length).join('').trimEnd()) + CUT;
  let [least, most] = [0, letters.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(begin(middle))) least = middle;
    else most = middle - 1;
  }
  return least === 0 ? '' : begin(least);
}

const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));
