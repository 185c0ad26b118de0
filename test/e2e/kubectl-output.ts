/** Differences between two runs on any cluster: identities, times, addresses, nodes, and the widths of columns. */
const varying: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UID'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.]*(Z| \+0000)/g, 'TIME'],
  [/\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, 'TIME'],
  [/(resourceVersion"?: ?"?)\d+/g, '$1VERSION'],
  [/\bweb-[a-z0-9]{8,10}-[a-z0-9]{5}\b/g, 'POD'],
  [/\bweb-[a-z0-9]{8,10}\b/g, 'REPLICASET'],
  [/^([a-z]+)-[a-z0-9]{5}(?= +IPv4)/gm, '$1-SLICE'],
  [/(pod-template-hash(=|: ))[a-z0-9"]+/g, '$1HASH'],
  [/\b10\.(96|244)\.\d+\.\d+\b/g, 'ADDRESS'],
  [/\b\d+[smhd](\d+[smh])?( ago)?(?=\s|$)/gm, 'AGE'],
  [/\/tmp\S*?\/(LIVE|MERGED)-\d+/g, '$1'],
  [/\bnode-[abc]\b/g, 'NODE'],
  [/\bzone-[12]\b/g, 'ZONE'],
];

/** The answer without what differs anyway, as lines with single spaces; raw JSON with sorted keys. */
export function comparable(output: string, keep: (line: string) => boolean = () => true): string[] {
  const text = varying.reduce((all, [pattern, word]) => all.replace(pattern, word), sorted(output));
  return text
    .split('\n')
    .map((line) => line.replace(/(?<=\S) {2,}/g, '  ').trimEnd())
    .filter((line) => line !== '' && keep(line));
}

function sorted(output: string): string {
  if (!output.startsWith('{"kind":"') && !output.startsWith('{"apiVersion":"')) return output;
  return JSON.stringify(
    JSON.parse(output),
    (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    1,
  );
}
