import { expect, it } from 'vitest';
import { statusCommand } from '../../src/cli/canaries/status-command.ts';
import { Output } from '../../src/cli/output/output.ts';
import { liveList } from '../../src/cli/view/live-list.ts';
import { connectionTo } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { createApplications, NAMESPACE, nameOf } from '../bench/applications.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { FakeTerminal } from '../fakes/fake-terminal.ts';
import { eventually } from '../scenarios/eventually.ts';
import { afterEach, beforeEach, enterVirtual, playTests, sleep, world } from '../scenarios/world.ts';

enterVirtual(29);
playTests();

const USER_AGENT = 'serin-cli';
const NAME = nameOf(0);
const CANARY = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: NAMESPACE, name: NAME };

let bare: BareCluster;
/** Cluster as the command line reaches it: it outlives the API server. */
let cluster: KubeCluster;
let isStopped: boolean;

beforeEach(async () => {
  bare = await startBareCluster({ world: world() });
  isStopped = false;
  const { clock, random, network } = world();
  const connection = { ...connectionTo(bare.apiUrl, { userAgent: USER_AGENT }), agent: network.agent({ keepAlive: true }) };
  cluster = createCluster(connection, { requestTimeoutMs: 10_000, clock, random });
  await createApplications(bare.cluster, 2, 'istio');
});

afterEach(async () => {
  cluster.close();
  if (!isStopped) await bare.stop();
});

/** A live view on a terminal. */
function viewing(start: (session: { output: Output; keyboard: FakeTerminal }) => Promise<unknown>) {
  const written: string[] = [];
  const keyboard = new FakeTerminal();
  const out = { isTTY: true, columns: 100, rows: 30, write: (text: string | Uint8Array) => written.push(String(text)) };
  const output = new Output({}, { TERM: 'xterm', NO_COLOR: '1' }, { out, err: { write: () => undefined } });
  const ended = start({ output, keyboard });
  const shows = (what: string) => eventually(`the screen shows ${what}`, () => written.some((text) => text.includes(what)));
  return { keyboard, ended, shows, last: () => written.at(-1) ?? '' };
}

const ofStatus = ({ output, keyboard }: { output: Output; keyboard: FakeTerminal }) =>
  statusCommand(
    { cluster, namespace: NAMESPACE, clock: world().clock, output },
    NAME,
    { watch: true },
    { keyboard, ask: async () => ({ outcome: 'done' }) },
  );
const ofList = ({ output, keyboard }: { output: Output; keyboard: FakeTerminal }) =>
  liveList({ cluster, namespace: undefined, clock: world().clock, output }, {}, keyboard);

it.each([
  { title: 'status', start: ofStatus, before: 'unseen', after: 'unseen (suspended)' },
  { title: 'list', start: ofList, before: '2 Canaries', after: 'unseen (suspended)' },
])(
  '$title --watch sends no requests while nothing changes, shows a change, and shows that the API server is gone',
  async ({ start, before, after }) => {
    const screen = viewing(start);
    await screen.shows(before);
    await sleep(5_000);
    const atRest = bare.requestCounts(USER_AGENT);
    expect(Object.keys(atRest)).not.toEqual([]);
    await sleep(60_000);
    expect(bare.requestCounts(USER_AGENT)).toEqual(atRest);
    await bare.cluster.patch(CANARY, { spec: { suspend: true } });
    await screen.shows(after);
    await bare.stop();
    isStopped = true;
    await screen.shows('connection lost, trying again: connect ECONNREFUSED');
    screen.keyboard.press('q');
    expect(await screen.ended).toBe('done');
    expect(screen.last()).toContain('\x1b[?25h');
  },
);
