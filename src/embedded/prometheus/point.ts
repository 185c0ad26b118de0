/** `value` undefined is a stale marker: the series ended here. Times are epoch milliseconds. */
export interface Point {
  tMs: number;
  value: number | undefined;
}
