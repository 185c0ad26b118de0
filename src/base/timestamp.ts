/** The years 0000 to 9999: RFC 3339 has no words for others. Milliseconds. */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_000;

/** RFC 3339 with whole seconds, as `metav1.Time` is written. A time out of range, in a status of another writer, becomes the nearest valid time. */
export function timestamp(ms: number): string {
  return `${preciseTimestamp(ms).slice(0, 19)}Z`;
}

/** The same with milliseconds. */
export function preciseTimestamp(ms: number): string {
  return new Date(Math.min(Math.max(Number.isNaN(ms) ? FIRST_MS : ms, FIRST_MS), LAST_MS)).toISOString();
}
