const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, ns: 1e-6 } as const;
const TERM = /(\d+(?:\.\d*)?|\.\d+)(ms|us|µs|ns|h|m|s)/gy;

/**
 * Milliseconds of a Go duration text (`30s`, `1m30s`, `250ms`, `1h`); undefined when it is none.
 * Source: Go `time.ParseDuration`, which manifests are written for.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  TERM.lastIndex = 0;
  let ms = 0;
  while (TERM.lastIndex < text.length) {
    const term = TERM.exec(text);
    if (!term) return undefined;
    ms += Number(term[1]) * UNIT_MS[term[2] as keyof typeof UNIT_MS];
  }
  return text === '' ? undefined : ms;
}
