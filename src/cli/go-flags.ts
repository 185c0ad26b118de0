/** Go's flag package takes `-mesh-provider=istio` where everybody else takes two dashes: both are accepted (reference 02 §1.1). */
export function withTwoDashes(argv: readonly string[]): string[] {
  return argv.map((word) => (/^-[a-z][a-z-]+(=|$)/.test(word) ? `-${word}` : word));
}
