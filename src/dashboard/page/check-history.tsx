import type { CanaryName, CheckHistoryView, HistoryView, JournalView, PointView, ReleaseView } from '../wire.ts';
import { Card, Chart, canaryPath, short } from './parts.tsx';
import { useJson } from './stream.ts';
import { words } from './words.ts';

/** A chart for each check: of one release with the primary, of two with both lines in one. */
export function CheckCharts({
  releases,
  names,
}: {
  releases: readonly (readonly CheckHistoryView[])[];
  names?: readonly [string, string];
}) {
  const checks = [...new Set(releases.flatMap((one) => one.map(({ check }) => check)))];
  return (
    <>
      {checks.map((check) => {
        const found = releases.map((one) => one.find((each) => each.check === check));
        const lines = found.map((one) => one?.values ?? []);
        if (lines.every(({ length }) => length === 0)) return null;
        const { limit, min, max } = found.findLast((one) => one?.limit !== undefined) ?? {};
        const baseline = releases.length === 1 ? (found[0]?.baseline ?? []) : [];
        const legend = names ? words.checkLegend(...names) : baseline.length > 0 ? words.baselineLegend : '';
        return (
          <Card key={check} title={check}>
            <Chart
              title={words.checkOverTime(check)}
              lines={baseline.length > 0 ? [...lines, baseline] : lines}
              limits={[...new Set([min, max])].flatMap((one) => one ?? [])}
            />
            <p class="dim">{[limit && words.limitLine(limit), legend].filter(Boolean).join('; ')}</p>
          </Card>
        );
      })}
    </>
  );
}

/** The checks of a release in progress: from its journal where a part of it is stored, and the last values from its status. */
export function LiveCheckCharts({ canary, release }: { canary: CanaryName; release: ReleaseView }) {
  const history = useJson<HistoryView>(`/api${canaryPath(canary, '/history')}`);
  const isKept =
    history.state === 'done' && history.value.releases.some((one) => one.release === release.release && one.problems.length === 0);
  return isKept ? <WithJournal canary={canary} release={release} /> : <CheckCharts releases={[recentOf(release)]} />;
}

function WithJournal({ canary, release }: { canary: CanaryName; release: ReleaseView }) {
  const journal = useJson<JournalView>(`/api${canaryPath(canary, `/releases/${release.release}`)}`);
  const stored = journal.state === 'done' ? journal.value.checks : [];
  return <CheckCharts releases={[recentOf(release).map((recent) => joined(stored, recent))]} />;
}

const recentOf = ({ checks }: ReleaseView): CheckHistoryView[] =>
  checks.map(({ check, limit, min, max, recent = [] }) => ({
    ...{ check, limit, min, max, failed: 0, unmeasured: 0, baseline: [] },
    values: recent.flatMap(({ at, value }): PointView[] => (value === undefined ? [] : [{ atMs: Date.parse(at), value }])),
  }));

/** The status has times in whole seconds. */
function joined(stored: readonly CheckHistoryView[], recent: CheckHistoryView): CheckHistoryView {
  const { values = [], baseline = [] } = stored.find(({ check }) => check === recent.check) ?? {};
  const untilMs = (values.at(-1)?.atMs ?? 0) + 1_000;
  return { ...recent, baseline, values: [...values, ...recent.values.filter(({ atMs }) => atMs > untilMs)] };
}

/** The last value of a check, and how often it was out of range or not measured. */
export function checkResult(one: CheckHistoryView | undefined): string {
  if (one === undefined) return words.notMeasured;
  const last = one.values.at(-1)?.value;
  const counts = [one.failed > 0 ? words.timesFailed(one.failed) : '', one.unmeasured > 0 ? words.timesUnmeasured(one.unmeasured) : ''];
  return [last === undefined ? words.noValue : words.lastValue(short(last)), one.limit, ...counts].filter(Boolean).join(', ');
}
