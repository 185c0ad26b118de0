import { parseDuration } from '../../api/duration.ts';
import { RoutingError } from '../routing-error.ts';

/** Source: GEP-2257 and the CRD's pattern: no fractions, nothing below a millisecond, at most five digits a unit. */
const DURATION = /^(?:[0-9]{1,5}(?:h|m|s|ms)){1,4}$/;
const UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;
const LONGEST_MS = 99_999 * 3_600_000;

/** A Go duration as the Gateway API takes it: unmodified if possible, else the same time in other words. */
export function gatewayDuration(text: string, field: string): string {
  if (DURATION.test(text)) return text;
  const ms = parseDuration(text);
  if (ms === undefined || !Number.isInteger(ms) || ms > LONGEST_MS)
    throw RoutingError.at(field, `is ${JSON.stringify(text)}, which Gateway API cannot say: use whole milliseconds, as in 1s500ms`);
  let left = ms;
  const words = UNITS.map(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count > 0 ? `${count}${unit}` : '';
  });
  return words.join('') || '0s';
}
