import type { CanaryName, CheckHistoryView, HistoryView, JournalView, PointView, ReleaseView } from '../wire.ts';
import { Card, Chart, pathOf, short } from './parts.tsx';
import { useJson } from './stream.ts';
import { words } from './words.ts';

/** A chart for each check; with two releases both lines in one. */
export function CheckCharts({ releases }: { releases: readonly (readonly CheckHistoryView[])[] }) {
  const names = [...new Set(releases.flatMap((checks) => checks.map(({ check }) => check)))];
  return (
    <>
      {names.map((name) => {
        const found = releases.map((checks) => checks.find(({ check }) => check === name));
        if (found.every((one) => one === undefined || one.values.length === 0)) return null;
        const limit = found.findLast((one) => one?.limit !== undefined)?.limit;
        return (
          <Card key={name} title={name}>
            <Chart title={words.checkOverTime(name)} lines={found.map((one) => one?.values ?? [])} />
            <p class="dim">{limit}</p>
          </Card>
        );
      })}
    </>
  );
}

/** The checks of a release in progress: from its journal where a part of it is stored, and the last values from its status. */
export function LiveCheckCharts({ canary, release }: { canary: CanaryName; release: ReleaseView }) {
  const history = useJson<HistoryView>(`/api${pathOf(canary, '/history')}`);
  const isKept =
    history.state === 'done' && history.value.releases.some((one) => one.release === release.release && one.problems.length === 0);
  return isKept ? <WithJournal canary={canary} release={release} /> : <CheckCharts releases={[recentOf(release)]} />;
}

function WithJournal({ canary, release }: { canary: CanaryName; release: ReleaseView }) {
  const journal = useJson<JournalView>(`/api${pathOf(canary, `/releases/${release.release}`)}`);
  const stored = journal.state === 'done' ? journal.value.checks : [];
  return <CheckCharts releases={[recentOf(release).map((recent) => joined(stored, recent))]} />;
}

const recentOf = ({ checks }: ReleaseView): CheckHistoryView[] =>
  checks.map(({ check, limit, recent = [] }) => ({
    ...{ check, limit, failed: 0, unmeasured: 0 },
    values: recent.flatMap(({ at, value }): PointView[] => (value === undefined ? [] : [{ atMs: Date.parse(at), value }])),
  }));

/** The status has times in whole seconds. */
function joined(stored: readonly CheckHistoryView[], recent: CheckHistoryView): CheckHistoryView {
  const { values = [] } = stored.find(({ check }) => check === recent.check) ?? {};
  const untilMs = (values.at(-1)?.atMs ?? 0) + 1_000;
  return { ...recent, values: [...values, ...recent.values.filter(({ atMs }) => atMs > untilMs)] };
}

/** The last value of a check, and how often it was out of range or not measured. */
export function checkResult(one: CheckHistoryView | undefined): string {
  if (one === undefined) return words.notMeasured;
  const last = one.values.at(-1)?.value;
  const counts = [one.failed > 0 ? words.timesFailed(one.failed) : '', one.unmeasured > 0 ? words.timesUnmeasured(one.unmeasured) : ''];
  return [last === undefined ? words.noValue : words.lastValue(short(last)), one.limit, ...counts].filter(Boolean).join(', ');
}
