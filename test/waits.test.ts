import { describe, expect, it } from 'vitest';
import { blockerText } from '../src/api/blocker-text.ts';
import type { CanaryStatus, Delivery } from '../src/api/canary-status.ts';
import { actorOf, needsNoOne, remedyOf, type WaitCode, waitCodes } from '../src/api/codes/codes.ts';
import type { KubeObject } from '../src/api/kube-object.ts';
import type { Phase } from '../src/api/phase.ts';
import { statusScreen } from '../src/cli/canaries/status-screen.ts';
import { whyAnswer } from '../src/cli/why/why-command.ts';
import { alertMessage } from '../src/controller/notifications/alert-message.ts';
import { canaryRow } from '../src/dashboard/views/canary-row.ts';
import type { Input } from '../src/engine/context.ts';
import type { Facts } from '../src/engine/facts.ts';
import { isStateName, states } from '../src/engine/states/index.ts';
import { anew, go, type StateName } from '../src/engine/states/moves.ts';
import { saying } from '../src/engine/states/standing.ts';
import { hasOutcome, neverDue, type State, state } from '../src/engine/states/state.ts';
import { waitsOf } from '../src/engine/waits-of.ts';
import { webhook } from '../src/notifiers/webhook.ts';
import { reportOf } from '../src/reading/canary-report.ts';
import { recordedWaits as shownWaits } from '../src/reading/waits.ts';
import { whyOf } from '../src/reading/why/diagnose.ts';
import { snapshotIn } from './fakes/stalled-release.ts';
import { type Waiting, type WaitingRelease, waiting, waitingFor } from './fakes/waiting-releases.ts';
import type { World } from './fakes/world.ts';

const terminal = { color: false, unicode: true, live: false, columns: 120 };
const heading = (title: string, lines: readonly string[]): string => [`== ${title}`, ...lines.map((line) => line.trimEnd()), ''].join('\n');
const json = (value: unknown): string[] => JSON.stringify(value, null, 2).split('\n');

const waitsIn = (world: World) => {
  const { phase = '', release } = world.canary.status ?? {};
  if (release === undefined) throw new Error('nothing is recorded');
  return waitsOf({ canary: world.canary, phase: phase as Phase, release, facts: world.facts() });
};
const codesIn = (world: World): WaitCode[] => waitsIn(world).map(({ code }) => code);

/** Events of the machine, and events of the controller about its facts. */
function events({ world, announced }: WaitingRelease): string[] {
  const { blocker, refused } = world.facts();
  const ofFacts = [
    ...(blocker ? [{ reason: 'Blocked', message: blockerText(blocker) }] : []),
    ...(refused ? [{ reason: refused.reason, message: refused.message }] : []),
  ];
  return [...announced, ...ofFacts].map(({ reason, message }) => `${reason}: ${message}`);
}

/** Refused before the engine runs: `refuse` of the controller has written the status, and the engine none. */
const BEFORE: ReadonlySet<WaitCode> = new Set(['TargetTaken', 'ForeignController', 'CRDOutdated']);
function refusedBefore({ status }: KubeObject, refused: Facts['refused']): void {
  if (refused === undefined || !BEFORE.has(refused.reason)) return;
  const { conditions, release } = status as CanaryStatus;
  const [promoted] = conditions ?? [];
  if (promoted && refused.reason !== 'ForeignController') promoted.message = refused.message;
  if (refused.reason !== 'TargetTaken') delete release?.blockers;
}

/** All texts and data about the wait. */
function reported(code: WaitCode, release: WaitingRelease): string {
  const { world, deliveries } = release;
  const snapshot = snapshotIn({ world });
  refusedBefore(snapshot.raw, world.facts().refused);
  const report = reportOf(snapshot);
  const settingsOf = { clusterName: '', dashboardUrl: '', journalLimit: 0 };
  const of = (kind: Delivery['kind']) => deliveries.filter((one) => one.kind === kind);
  const alerts = of('alert').map((one) =>
    webhook.body(alertMessage(world.canary, one, settingsOf), { address: '', channel: '', username: '' }),
  );
  const wait = waitsIn(world).find((one) => one.code === code);
  const { waits } = canaryRow(snapshot.raw);
  return [
    heading('who and how', [actorOf(code, wait ?? {}), remedyOf(code, wait)]),
    heading(
      'condition',
      report.conditions.map(({ type, status, message = '' }) => `${type} ${status}: ${message}`),
    ),
    heading('event', events(release)),
    heading('alert', alerts.flatMap(json)),
    heading('status.release.blockers', json(report.blockers ?? [])),
    heading('serin status', statusScreen(report, terminal, false)),
    heading('serin why', whyAnswer(whyOf(snapshot)).lines(terminal, false)),
    heading('page', json(waits)),
  ].join('\n');
}

describe('the wait of a release', () => {
  it.each(waitCodes)('D13: %s stands alike in condition, event, alert, status, why and page', async (code) => {
    const release = waitingFor(code);
    expect(codesIn(release.world)).toContain(code);
    await expect(reported(code, release)).toMatchFileSnapshot(`golden/waits/${code}.txt`);
  });

  it.each(waitCodes)('D13: the sentence of %s has a deadline and the next check in two sentences', (code) => {
    const { world } = waitingFor(code);
    expect(snapshotIn({ world }).raw.status).not.toMatchObject({
      conditions: [{ message: expect.stringMatching(/\d{4}-\d\d-\d\dT[^.]*, next at/) }],
    });
  });

  // Holds for every golden. A failed release shows its ending instead of a wait.
  it.each(waitCodes.filter((code) => !needsNoOne(code) && code !== 'Failed'))('D13: %s is named in status and on the page', (code) => {
    const { world } = waitingFor(code);
    const snapshot = snapshotIn({ world });
    refusedBefore(snapshot.raw, world.facts().refused);
    expect(shownWaits(snapshot.raw).map((wait) => wait.code)).toContain(code);
    if (!BEFORE.has(code)) expect(reportOf(snapshot).blockers?.map((wait) => wait.code)).toContain(code);
  });

  it.each(waitCodes)('D13: serin why says the remedy of %s, and each text of another component, once', (code) => {
    const { world } = waitingFor(code);
    const snapshot = snapshotIn({ world });
    refusedBefore(snapshot.raw, world.facts().refused);
    const why = whyOf(snapshot);
    const { lines } = whyAnswer(why);
    const said = lines({ ...terminal, columns: 10_000 }, false).join('\n');
    const detail = waitsIn(world).find((one) => one.code === code)?.detail ?? '';
    const texts = [why.diagnosis.action, ...(detail.length > 30 ? [detail] : [])];
    for (const text of texts) expect([text, said.split(text).length - 1].join(': ')).toMatch(/: [01]$/);
  });

  it.each(waitCodes)('D13: %s ends when its remedy is followed', (code) => {
    const { world } = waitingFor(code);
    waiting[code].follow(world);
    expect(codesIn(world)).not.toContain(code);
  });
});

// A state without its waits, a decision without its move, and a state that is forgotten do not compile.
const parts = { enter: [], awaits: ['itself'], dueMs: neverDue } as const;
const waits = () => saying('Waiting.');
const decide = { answer: (input: Input) => (hasOutcome(input, 'passed') ? ('advance' as const) : undefined) };
state({ ...parts, waits, decide, moves: { advance: anew() } });
// @ts-expect-error: no waits
state({ ...parts, decide, moves: { advance: anew() } });
// @ts-expect-error: nothing is awaited
state({ ...parts, awaits: [], waits, decide, moves: { advance: anew() } });
// @ts-expect-error: the decision has no move
state({ ...parts, waits, decide, moves: { step: go('Progressing.analysing') } });
const { New: _, ...forgotten } = states;
// @ts-expect-error: a state is missing
forgotten satisfies Readonly<Record<StateName, State>>;
const { Paused: __, ...unplayed } = waiting;
// @ts-expect-error: a wait has no scene
unplayed satisfies Readonly<Record<WaitCode, Waiting>>;

it.each(Object.keys(states).filter(isStateName))('L6: the state %s says what it waits for', (name) => {
  const { world } = waitingFor('Running');
  const { release } = world;
  const [phase = ''] = name.split('.');
  const [first] = states[name].waits({ canary: world.canary, phase: phase as Phase, release, facts: world.facts() }, undefined);
  expect(first.text).toMatch(/^[A-Z]/);
});
