import { useState } from 'preact/hooks';
import type { CanaryName, DifferenceView, HistoryView, JournalView, PointView } from '../wire.ts';
import { CheckCharts, checkResult } from './check-history.tsx';
import { Card, canaryPath, lasts, PhaseBadge, revisionText, Table, timeText, WeightChart } from './parts.tsx';
import { RoutesCard } from './routes.tsx';
import { type Loaded, useJson } from './stream.ts';
import { words } from './words.ts';

/** Promoted revisions and past releases. */
export function HistoryPage({ canary }: { canary: CanaryName }) {
  const loaded = useJson<HistoryView>(`/api${canaryPath(canary, '/history')}`);
  const [chosen, setChosen] = useState<readonly number[]>([]);
  if (loaded.state !== 'done') return <Pending of={loaded} />;
  const { promoted, releases } = loaded.value;
  const [newer, older] = [...chosen].sort((a, b) => b - a);
  const choose = (release: number) =>
    setChosen((now) => (now.includes(release) ? now.filter((one) => one !== release) : [...now.slice(-1), release]));
  return (
    <div class="cards">
      <Card title={words.releases} isWide>
        {releases.length === 0 && <p>{words.noReleases}</p>}
        <Table
          title={words.releases}
          heads={[words.compare, words.release, words.revision, words.began, words.ended, words.outcome]}
          rows={releases.map(({ release, revision, began, ended, outcome, problems }) => [
            <input
              key="choose"
              type="checkbox"
              aria-label={words.choose(release)}
              checked={chosen.includes(release)}
              onChange={() => choose(release)}
            />,
            <a key="release" href={canaryPath(canary, `/releases/${release}`)}>
              {release}
            </a>,
            <span key="revision" class="mono">
              {revisionText(revision)}
            </span>,
            timeText(began),
            timeText(ended),
            problems[0] ?? <PhaseBadge phase={outcome ?? words.unfinished} />,
          ])}
        />
        {newer !== undefined && older !== undefined && (
          <p>
            <a href={canaryPath(canary, `/compare/${older}/${newer}`)}>{words.compareWith}</a>
          </p>
        )}
      </Card>
      <Card title={words.promoted} isWide>
        <Table
          title={words.promoted}
          heads={[words.revision, words.firstPromoted, words.state, words.image]}
          rows={promoted.map(({ revision, recorded, current, images }) => [
            <span key="revision" class="mono">
              {revisionText(revision)}
            </span>,
            timeText(recorded),
            current ? words.serves : '',
            <span key="images" class="mono">
              {images.join(', ')}
            </span>,
          ])}
        />
      </Card>
    </div>
  );
}

/** One past release. */
export function JournalPage({ canary, release }: { canary: CanaryName; release: string }) {
  const loaded = useJson<JournalView>(`/api${canaryPath(canary, `/releases/${release}`)}`);
  if (loaded.state !== 'done') return <Pending of={loaded} />;
  const { revision, outcome, steps, checks } = loaded.value;
  return (
    <>
      <p>
        {words.release} {release} · <span class="mono">{revisionText(revision)}</span> · <PhaseBadge phase={outcome ?? words.unfinished} />
      </p>
      <div class="cards">
        <Card title={words.weights} isWide>
          <WeightChart title={words.weights} lines={[weightsOf(loaded.value)]} />
        </Card>
        <CheckCharts releases={[checks]} />
        <Card title={words.steps} isWide>
          <Table
            title={words.steps}
            heads={[words.at, words.canary, words.failed, words.step, words.seen]}
            rows={steps.map(({ atMs, weight, failedChecks, state, text }) => [
              timeText(atMs),
              `${weight}%`,
              String(failedChecks),
              state,
              <span key="text" class="mono">
                {text}
              </span>,
            ])}
          />
        </Card>
      </div>
    </>
  );
}

const weightsOf = ({ steps }: JournalView): PointView[] => steps.map(({ atMs, weight }) => ({ atMs, value: weight }));

/** Two past releases beside each other. */
export function ComparePage({ canary, a, b }: { canary: CanaryName; a: string; b: string }) {
  const history = useJson<HistoryView>(`/api${canaryPath(canary, '/history')}`);
  const [first, second] = [a, b].map((release) => useJson<JournalView>(`/api${canaryPath(canary, `/releases/${release}`)}`));
  if (first?.state !== 'done') return <Pending of={first} />;
  if (second?.state !== 'done') return <Pending of={second} />;
  const both = [first.value, second.value];
  const row = (label: string, of: (journal: JournalView) => string) => [label, ...both.map(of)];
  const lasted = ({ steps }: JournalView) => lasts((steps.at(-1)?.atMs ?? 0) - (steps[0]?.atMs ?? 0));
  const promoted = history.state === 'done' ? history.value.promoted : [];
  const imagesOf = ({ revision }: JournalView) =>
    promoted.find((one) => one.revision === revision)?.images.join(', ') ?? (history.state === 'loading' ? '' : words.imageUnknown);
  const names = [...new Set(both.flatMap(({ checks }) => checks.map(({ check }) => check)))];
  const most = ({ steps }: JournalView, of: 'weight' | 'failedChecks') => steps.reduce((max, step) => Math.max(max, step[of]), 0);
  return (
    <div class="cards">
      <Card title={words.compare} isWide>
        <Table
          title={words.compare}
          heads={['', ...both.map(({ release }) => `${words.release} ${release}`)]}
          rows={[
            row(words.revision, ({ revision }) => revisionText(revision)),
            row(words.image, imagesOf),
            row(words.outcome, ({ outcome }) => outcome ?? words.unfinished),
            row(words.began, ({ steps }) => timeText(steps[0]?.atMs)),
            row(words.duration, lasted),
            row(words.steps, ({ steps }) => String(steps.length)),
            row(words.highestWeight, (journal) => `${most(journal, 'weight')}%`),
            row(words.mostFailed, (journal) => String(most(journal, 'failedChecks'))),
            ...names.map((name) => row(`${words.check} ${name}`, ({ checks }) => checkResult(checks.find(({ check }) => check === name)))),
          ]}
        />
        <WeightChart title={words.weights} lines={both.map(weightsOf)} />
        <p class="dim">{words.legend(a, b)}</p>
      </Card>
      <CheckCharts releases={both.map(({ checks }) => checks)} names={[a, b]} />
    </div>
  );
}

/** What a promotion would change now. */
export function DifferencePage({ canary }: { canary: CanaryName }) {
  const loaded = useJson<DifferenceView>(`/api${canaryPath(canary, '/difference')}`);
  if (loaded.state !== 'done') return <Pending of={loaded} />;
  const { changes, hidden, routes } = loaded.value;
  return (
    <div class="cards">
      <Card title={words.diff} isWide>
        {[...hidden, ...(changes.length === 0 ? [words.noChanges] : [])].map((note) => (
          <p key={note}>{note}</p>
        ))}
        {changes.length > 0 && (
          <Table
            title={words.diff}
            heads={[words.field, words.now, words.after]}
            rows={changes.map(({ field, promoted, target }) =>
              [field, promoted, target].map((text, column) => (
                <span key={column} class="mono">
                  {text}
                </span>
              )),
            )}
          />
        )}
      </Card>
      {routes && <RoutesCard routes={routes} />}
    </div>
  );
}

const Pending = <T,>({ of }: { of: Loaded<T> | undefined }) => <p role="status">{of?.state === 'failed' ? of.message : words.loading}</p>;
