/** RFC 3339 with whole seconds, as `metav1.Time` is written. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
