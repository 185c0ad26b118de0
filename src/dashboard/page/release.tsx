import { useRef, useState } from 'preact/hooks';
import type { CanaryName, PointView, ReleaseView, VerbAnswer, WorkloadView } from '../wire.ts';
import { LiveCheckCharts } from './check-history.tsx';
import { ComparedCard } from './compared.tsx';
import { iterationText } from './iteration-text.ts';
import { Bar, Card, canaryPath, lasts, PhaseBadge, revisionText, Spark, short, Table, timeText, WeightChart } from './parts.tsx';
import { RoutesCard } from './routes.tsx';
import { useSession } from './session.tsx';
import { post, useStream } from './stream.ts';
import { WaitsCard } from './waits.tsx';
import { words } from './words.ts';

type Verb = keyof typeof words.verbs;
const MOST_POINTS = 2_000;
const RESTING: ReadonlySet<string> = new Set(['Initialized', 'Succeeded', 'Failed']);

/** One release, live. */
export function ReleasePage({ canary }: { canary: CanaryName }) {
  const [release, setRelease] = useState<ReleaseView>();
  const [problem, setProblem] = useState<string>();
  const [points, setPoints] = useState<readonly PointView[]>([]);
  const { isLost } = useStream(`/api${canaryPath(canary, '/stream')}`, {
    release: (next: ReleaseView) => {
      setProblem(undefined);
      setRelease(next);
      setPoints((before) => [...before, { atMs: next.readAtMs, value: next.traffic.canary }].slice(-MOST_POINTS));
    },
    problem: ({ message }: { message: string }) => setProblem(message),
  });
  if (release === undefined) return <p role="status">{problem ?? (isLost ? words.lost : words.loading)}</p>;
  const { traffic, workloads, causes, checks, compared, gates, pods, events, weights } = release;
  const isRecorded = weights.length > 0;
  const since = isRecorded ? words.sinceBegin : words.sinceOpened;
  // A release that has ended stays as long as it was.
  const now = RESTING.has(release.phase) ? [] : [{ atMs: release.readAtMs, value: traffic.canary }];
  const line = isRecorded ? [...weights, ...now] : points;
  return (
    <>
      <p>
        <PhaseBadge phase={release.phase} suspended={release.suspended} />
        {release.step ? ` · ${release.step}` : ''}
        {release.since ? ` · ${lasts(release.readAtMs - Date.parse(release.since))}` : ''}
        {` · ${iterationText(release) ?? words.canaryWeight(traffic.canary)} · ${words.failedChecks(release.failedChecks, release.threshold)}`}
        {release.provider ? ` · ${release.provider}` : ''}
      </p>
      {iterationText(release) === undefined ? <Bar weight={traffic.canary} /> : undefined}
      {[problem, isLost ? words.lost : undefined, ...release.hidden].flatMap((note) =>
        note === undefined
          ? []
          : [
              <p class="notice" role="status" key={note}>
                {note}
              </p>,
            ],
      )}
      <Verbs canary={canary} />
      <div class="cards">
        <Card title={release.isHeld ? words.blockers : words.state} isWide>
          {release.ending && (
            <p>
              {words.ended} {timeText(release.ending.at)}: <strong>{release.ending.code}</strong>, {release.ending.detail}{' '}
              <span class="dim">
                {release.ending.actor}: {release.ending.remedy}
              </span>
            </p>
          )}
          {causes.map(({ cause, sentence, action, command }) => (
            <div key={cause}>
              <p>
                <strong>{cause}</strong>: {sentence} <span class="dim">{action}</span>
              </p>
              {command && <code tabIndex={0}>{command}</code>}
            </div>
          ))}
        </Card>
        {(release.waits?.length ?? 0) > 0 && <WaitsCard waits={release.waits ?? []} nowMs={release.readAtMs} />}
        <Card title={words.weights}>
          <WeightChart title={`${words.weights}, ${since}`} lines={[line]} />
          <p class="dim">{since}</p>
        </Card>
        <Card title={words.traffic}>
          <Table
            title={words.traffic}
            heads={[words.side, words.weight, words.ready, words.revision]}
            rows={[
              workloadRow(words.primary, traffic.primary, workloads.primary),
              workloadRow(words.canary, traffic.canary, workloads.target),
            ]}
          />
        </Card>
        {checks.length > 0 && (
          <Card title={words.checks} isWide>
            <Table
              title={words.checks}
              heads={[words.check, words.verdict, words.value, words.primary, words.limit, words.recent]}
              rows={checks.map(({ check, verdict, value, baseline, limit, reason, query, recent = [] }) => [
                check,
                <span key="verdict">
                  <PhaseBadge phase={verdict} /> {reason}
                  {query !== undefined && (
                    <details>
                      <summary>{words.query}</summary>
                      <code tabIndex={0}>{query}</code>
                    </details>
                  )}
                </span>,
                value === undefined ? '' : short(value),
                baseline === undefined ? '' : short(baseline),
                limit,
                <Spark key="recent" title={check} values={recent.flatMap((one) => one.value ?? [])} />,
              ])}
            />
          </Card>
        )}
        {checks.length > 0 && <LiveCheckCharts key={release.release} canary={canary} release={release} />}
        {compared.length > 0 && <ComparedCard compared={compared} />}
        {gates.length > 0 && (
          <Card title={words.gates} isWide>
            <Table
              title={words.gates}
              heads={[words.gate, words.type, words.state]}
              rows={gates.map(({ name, type, state, reason }) => [
                name,
                type,
                <span key="state">
                  <PhaseBadge phase={state} /> {reason}
                </span>,
              ])}
            />
            <GateVerbs canary={canary} isClosed={gates.some(({ state }) => state === 'closed' || state === 'unreachable')} />
          </Card>
        )}
        {release.routes && <RoutesCard routes={release.routes} />}
        <Card title={words.pods} isWide>
          <Table
            title={words.pods}
            heads={[words.side, words.pod, words.image, words.state, words.ready, words.restarts]}
            rows={pods.map((pod) => [
              words[pod.side],
              <span key="pod" class="mono">
                {pod.name}
              </span>,
              <span key="image" class="mono">
                {pod.images.join(', ')}
              </span>,
              pod.phase,
              pod.ready ? words.yes : words.no,
              String(pod.restarts),
            ])}
          />
        </Card>
        <Card title={words.events} isWide>
          {events.length === 0 && <p>{words.noEvents}</p>}
          <Table
            title={words.events}
            heads={[words.at, words.type, words.seen]}
            rows={[...events].reverse().map(({ at, type, reason, message, count }) => [
              timeText(at),
              <span key="type" class={type === 'Warning' ? 'wait' : ''}>
                {reason}
              </span>,
              `${message}${count > 1 ? ` (${count})` : ''}`,
            ])}
          />
        </Card>
      </div>
    </>
  );
}

function workloadRow(side: string, weight: number, { kind, name, exists, replicas, ready, revision }: WorkloadView) {
  const counts = exists ? (replicas === undefined ? '' : words.replicas(ready ?? 0, replicas)) : words.notFound;
  return [
    <span key="side">
      {side} <span class="dim">{`${kind} ${name}`}</span>
    </span>,
    `${weight}%`,
    counts,
    <span key="revision" class="mono">
      {revisionText(revision)}
    </span>,
  ];
}

const Verbs = ({ canary }: { canary: CanaryName }) => <VerbButtons canary={canary} of={Object.entries(words.verbs) as [Verb, string][]} />;

const OF_GATE: readonly (readonly [Verb, string])[] = [
  ['promote', words.approve],
  ['rollback', words.deny],
];

/** Stays when the gate opens: the answer to the one who opened it is still to be read. */
const GateVerbs = ({ canary, isClosed }: { canary: CanaryName; isClosed: boolean }) => (
  <VerbButtons canary={canary} of={isClosed ? OF_GATE : []} />
);

/** Buttons that ask once more before they act. */
function VerbButtons({ canary, of }: { canary: CanaryName; of: readonly (readonly [Verb, string])[] }) {
  const isReadOnly = useSession()?.mayAct === false;
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<readonly [Verb, string]>();
  const dialog = useRef<HTMLDialogElement>(null);
  const ask = (one: readonly [Verb, string]) => {
    setAsked(one);
    dialog.current?.showModal();
  };
  const act = async () => {
    dialog.current?.close();
    if (asked === undefined) return;
    const [verb, label] = asked;
    setBusy(true);
    setSaid(words.asking(label));
    const answer = await post<VerbAnswer>(`/api${canaryPath(canary, '/verbs')}`, { verb });
    setBusy(false);
    if (answer.state === 'done') {
      const { outcome, message } = answer.value;
      setSaid(`${label}: ${words.answers[outcome] ?? outcome}${message ? `. ${message}` : ''}`);
    } else if (answer.state === 'failed') setSaid(`${label}: ${answer.message}`);
  };
  if (isReadOnly) return null;
  return (
    <>
      <div class="verbs">
        {of.map((one) => (
          <button type="button" key={one[0]} disabled={isBusy} onClick={() => ask(one)}>
            {one[1]}
          </button>
        ))}
      </div>
      <p role="status">{said}</p>
      <dialog ref={dialog} aria-label={asked?.[1]}>
        <p>{asked && words.confirm(asked[1], `${canary.namespace}/${canary.name}`)}</p>
        <div class="verbs">
          <button type="button" onClick={act}>
            {asked?.[1]}
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            {words.cancel}
          </button>
        </div>
      </dialog>
    </>
  );
}
