import type { Answer } from '../application/arrival/routes/users-route.ts';
import { binomialBounds } from '../fakes/binomial.ts';
import type { Expected } from './route-rows.ts';

/** Destinations that answer equal requests, with their shares. */
type Shares = ReadonlyMap<string, number>;

const APP = 'shop';
/** Of a share that is as it should be, once in a million. */
const RISK = 1e-6;
const TARGET_PORTS: Readonly<Record<number, number>> = { 80: 8080, 9090: 9090 };

/** By the words of the route; a redirect is known by its host. */
export function sharesOf(answer: Answer | undefined): Shares {
  if (answer === undefined) return new Map([['404', 1]]);
  const text = JSON.stringify(answer.terms);
  const redirect = /"(?:hostname|authority)":"([^"]*)"/.exec(text)?.[1];
  if (redirect !== undefined) return new Map([[`redirect to ${redirect}`, 1]]);
  const rule = /"x-rule":"([^"]*)"|"name":"x-rule","value":"([^"]*)"/.exec(text);
  const sent = answer.sent.filter(({ weight }) => weight > 0);
  const total = sent.reduce((sum, { weight }) => sum + weight, 0);
  return new Map(
    sent.map(({ service, port = 80, weight }) => [`${service}:${TARGET_PORTS[port]} ${rule?.[1] ?? rule?.[2] ?? ''}`, weight / total]),
  );
}

export const isOfApplication = ({ version }: Expected): boolean => version === '1' || version === '2';

export function seenIn(answer: Required<Expected>): string {
  const { status, version, port, received, answered } = answer;
  if (status >= 300 && status < 400) return `redirect to ${new URL(answered.location ?? 'http://nowhere').hostname}`;
  if (status !== 200) return String(status);
  return `${isOfApplication(answer) ? APP : version}:${port} ${received['x-rule'] ?? ''}`;
}

export function unlikeIn(expected: Shares, got: ReadonlyMap<string, number>, tries: number): string[] {
  const others = [...got.keys()].filter((seen) => !expected.has(seen)).map((seen) => `${seen}, not ${[...expected.keys()].join(' or ')}`);
  const shares = [...expected].flatMap(([seen, share]) => {
    const count = got.get(seen) ?? 0;
    const { least, most } = share === 1 ? { least: tries, most: tries } : binomialBounds(tries, share, RISK);
    return count < least || count > most ? [`${count} of ${tries} by ${seen}, whose share is ${share.toFixed(3)}`] : [];
  });
  return others.length > 0 ? others : shares;
}
