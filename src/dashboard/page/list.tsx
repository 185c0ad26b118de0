import { memo } from 'preact/compat';
import { useMemo, useState } from 'preact/hooks';
import type { CanaryName, CanaryRow, ListEvents } from '../wire.ts';
import { iterationText } from './iteration-text.ts';
import { Bar, canaryPath, PhaseBadge } from './parts.tsx';
import { useStream } from './stream.ts';
import { type WaitGroup, waitGroups } from './wait-groups.ts';
import { words } from './words.ts';

const keyOf = ({ namespace, name }: CanaryName) => `${namespace}/${name}`;

/** All Canaries. */
export function ListPage() {
  const [rows, setRows] = useState<ReadonlyMap<string, CanaryRow>>();
  const [unavailable, setUnavailable] = useState<string>();
  const [search, setSearch] = useState('');
  const [phase, setPhase] = useState('');
  const [namespace, setNamespace] = useState('');
  const [isByWait, setByWait] = useState(new URLSearchParams(location.search).has('waiting'));
  const { isLost } = useStream('/api/stream', {
    list: (data: ListEvents['list']) => {
      setUnavailable(data.unavailable);
      setRows(new Map(data.rows.map((row) => [keyOf(row), row])));
    },
    row: (row: CanaryRow) => setRows((now) => new Map(now).set(keyOf(row), row)),
    gone: (name: CanaryName) =>
      setRows((now) => {
        const next = new Map(now);
        next.delete(keyOf(name));
        return next;
      }),
  });
  const all = useMemo(() => [...(rows?.values() ?? [])].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), [rows]);
  const shown = useMemo(
    () =>
      all.filter(
        (row) =>
          (namespace === '' || row.namespace === namespace) &&
          (phase === '' || row.phase === phase) &&
          (search === '' || keyOf(row).includes(search.toLowerCase()) || row.target.name.includes(search.toLowerCase())),
      ),
    [all, namespace, phase, search],
  );
  const listed = isByWait ? shown.filter(({ waits = [] }) => waits.length > 0) : shown;
  const groups = useMemo(() => (isByWait ? waitGroups(shown) : []), [isByWait, shown]);
  return (
    <>
      <h1>{words.all}</h1>
      <div class="filters">
        <label>
          {words.search}
          <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        </label>
        <Choice label={words.phase} value={phase} set={setPhase} of={all.map((row) => row.phase)} />
        <Choice label={words.namespace} value={namespace} set={setNamespace} of={all.map((row) => row.namespace)} />
        <label>
          {words.show}
          <select value={isByWait ? 'waiting' : ''} onChange={(event) => setByWait(event.currentTarget.value !== '')}>
            <option value="">{words.everything}</option>
            <option value="waiting">{words.byWait}</option>
          </select>
        </label>
        <span class="dim" role="status">
          {rows === undefined ? words.loading : words.shown(listed.length, all.length)}
        </span>
      </div>
      {isLost && (
        <p class="notice" role="alert">
          {words.lost}
        </p>
      )}
      {unavailable !== undefined && (
        <p class="notice" role="alert">
          {unavailable}
        </p>
      )}
      {rows !== undefined && shown.length === 0 && <p>{all.length === 0 ? words.noCanary : words.none}</p>}
      {isByWait && shown.length > 0 && groups.length === 0 && <p>{words.noneWaits}</p>}
      {isByWait ? groups.map((group) => <Group key={group.key} group={group} />) : <Rows of={shown} />}
    </>
  );
}

const Rows = ({ of }: { of: readonly CanaryRow[] }) => (
  <ul class="rows">
    {of.map((row) => (
      <Row key={keyOf(row)} row={row} />
    ))}
  </ul>
);

const Group = ({ group: { title, who, rows } }: { group: WaitGroup }) => (
  <section class="group">
    <h2>{words.group(title, rows.length)}</h2>
    <p class="dim">{words.canEnd(who)}</p>
    <Rows of={rows} />
  </section>
);

const Row = memo(({ row }: { row: CanaryRow }) => (
  <li>
    <a href={canaryPath(row)}>
      <span>
        <b>{row.name}</b> <span class="dim">{row.namespace}</span>
      </span>
      <PhaseBadge phase={row.phase} suspended={row.suspended} />
      <span>
        {iterationText(row) === undefined ? <Bar weight={row.traffic.canary} /> : undefined}
        <span class="dim">
          {iterationText(row) ?? words.canaryWeight(row.traffic.canary)}
          {row.failedChecks > 0 ? `, ${words.failedChecks(row.failedChecks, row.threshold)}` : ''}
        </span>
      </span>
      <span class="message dim" title={row.message}>
        {row.message}
      </span>
    </a>
  </li>
));

function Choice({ label, value, set, of }: { label: string; value: string; set: (value: string) => void; of: readonly string[] }) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">{words.any}</option>
        {[...new Set(of)]
          .filter((one) => one !== '')
          .sort()
          .map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
      </select>
    </label>
  );
}
