import { parseDuration } from '../../api/duration.ts';

export type KeptnQuery =
  | { kind: 'metric'; namespace: string; name: string }
  | { kind: 'analysis'; namespace: string; definition: string; timeframe: string; args: Record<string, string> };

const KINDS: Readonly<Record<string, KeptnQuery['kind']>> = {
  keptnmetric: 'metric',
  keptnmetrics: 'metric',
  analysis: 'analysis',
  analyses: 'analysis',
};
const DEFAULT_TIMEFRAME = '1m';
const NAME = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

/** `{kind}/{namespace}/{name}[/{timeframe}[/{key=value;…}]]`. Kind and names are converted to lower case, as in Kubernetes; arguments keep their case. */
export function readKeptnQuery(query: string): KeptnQuery | { problem: string } {
  const [kind = '', namespace = '', name = '', timeframe = DEFAULT_TIMEFRAME, args = ''] = query.trim().split('/');
  const known = KINDS[kind.toLowerCase()];
  const form = `the query ${JSON.stringify(query.trim().slice(0, 80))} is not`;
  if (!known || ![namespace, name].every((part) => NAME.test(part.toLowerCase())))
    return { problem: `${form} keptnmetric/namespace/name or analysis/namespace/name[/timeframe[/key=value;…]]` };
  const where = { namespace: namespace.toLowerCase() };
  if (known === 'metric') return { kind: known, ...where, name: name.toLowerCase() };
  if (parseDuration(timeframe) === undefined)
    return { problem: `the timeframe ${JSON.stringify(timeframe.slice(0, 40))} is not a duration such as 5m` };
  return { kind: known, ...where, definition: name.toLowerCase(), timeframe, args: argumentsIn(args) };
}

/** A pair without exactly one `=` is left out, as in Flagger. */
function argumentsIn(text: string): Record<string, string> {
  const pairs = text.split(';').map((pair) => pair.split('='));
  return Object.fromEntries(pairs.flatMap(([key = '', value, ...more]) => (value === undefined || more.length > 0 ? [] : [[key, value]])));
}
