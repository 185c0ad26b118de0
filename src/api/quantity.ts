const EXPONENTS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const FORM = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d+))?$/;

/**
 * The number that a Kubernetes quantity says (`100m`, `1Ki`, `2e3`); undefined when it is none. Source: apimachinery `resource.Quantity`.
 */
export function parseQuantity(text: string): number | undefined {
  const [, digits, binary, suffix = '', exponent] = FORM.exec(text) ?? [];
  if (digits === undefined) return undefined;
  if (binary !== undefined) return Number(digits) * 1024 ** (BINARY[binary] ?? 0);
  // By text: 100m is 0.1 and not 100 thousandths in binary.
  return Number(`${digits}e${exponent ?? EXPONENTS[suffix] ?? 0}`);
}
