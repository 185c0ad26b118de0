const BINARY: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 };
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([eE][+-]?\d+)|([KMGTPE]i)|([numkMGTPE]))?$/;

/** The number of a Kubernetes quantity (`1500m` is 1.5); undefined for a text that is none. */
export function parseQuantity(text: string): number | undefined {
  const [isOne, digits = '', exponent = '', binary, decimal = ''] = QUANTITY.exec(text) ?? [];
  if (isOne === undefined) return undefined;
  if (binary !== undefined) return Number(digits) * (BINARY[binary] ?? 1);
  // As a text, so that `1500m` is 1.5 and `1m` is 0.001 and no number beside them.
  return Number(`${digits}${exponent || `e${DECIMAL[decimal] ?? 0}`}`);
}
