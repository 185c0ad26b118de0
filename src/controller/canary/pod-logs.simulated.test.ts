import { expect, it, vi } from 'vitest';
import { aModelCanary, type ModelLab, targetRef } from '../../../test/fakes/model/lab.ts';
import { ModelPods } from '../../../test/fakes/model/pods.ts';
import { awaitEnd, initializedLab } from '../../../test/fakes/model/released.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const analysis = { interval: '60s', threshold: 2, stepWeight: 5, maxWeight: 50 };
const LOG = 'starting\nreads its settings\npanic: no connection to postgres://shop:s3cr3t@db/shop\n\n';

/** A release whose container crashes until it ends; the answers to requests for logs, by their paths. */
async function crashed(
  podLogs: boolean,
  answer: (path: string) => { status: number; body: string },
): Promise<{ lab: ModelLab; asked: string[] }> {
  const lab = await initializedLab({ podLogs }, aModelCanary(analysis, { progressDeadlineSeconds: 600 }));
  const pods = new ModelPods(lab.server, lab.clock, lab.nodes);
  const asked: string[] = [];
  lab.podLog = (path) => {
    asked.push(path);
    return answer(path);
  };
  lab.push('2');
  expect(await lab.passUntil(() => (raw(lab.canary())?.status?.canaryWeight ?? 0) > 0, 200_000)).toBe(true);
  for (let nth = 0; nth < 40 && lab.phase() === 'Progressing'; nth += 1) {
    const target = lab.server.find(targetRef);
    if (target !== undefined) pods.fail(target, { how: 'exit', ms: 10_000 });
    await lab.pass(25_000);
  }
  await awaitEnd(lab, 'Failed');
  return { lab, asked };
}

const endingOf = (lab: ModelLab) => raw(lab.canary())?.status?.release?.ending;

it('the end of a crashed release names the last lines of the log, without what looks like a credential', async () => {
  const { lab, asked } = await crashed(true, () => ({ status: 200, body: LOG }));
  const { detail, pod } = endingOf(lab);
  expect(detail).toMatch(/exited with code 3.*: its log ends: starting \| reads its settings \| panic: no connection to/);
  expect(pod.message).toContain('its log ends: starting');
  const [failed = ''] = eventsOf(lab, 'Failed');
  expect(failed).toContain('panic: no connection to');
  expect(JSON.stringify([lab.canary(), eventsOf(lab, 'Failed')])).not.toContain('s3cr3t');
  // One for each end of the container, and five at the most.
  expect(asked.length).toBeLessThanOrEqual(5);
  expect(asked[0]).toMatch(/\/pods\/podinfo-x\d+\/log\?container=web&tailLines=10&limitBytes=65536&previous=true$/);
});

it.each([
  { status: 400, body: '' },
  { status: 200, body: 'unable to retrieve container logs for containerd://d1e54b' },
  { status: 200, body: 'failed to try resolving symlinks in path "/var/log/pods/a/web/0.log": lstat: no such file or directory' },
])('the present log is read where the node has none of the last run ($status $body)', async (none) => {
  const { lab } = await crashed(true, (path) => (path.includes('previous') ? none : { status: 200, body: LOG }));
  expect(endingOf(lab).detail).toContain('its log ends: starting');
});

it('without the flag no log is requested, and without the right the end is named by the pod, and a line of the log says so once', async () => {
  const off = await crashed(false, () => ({ status: 200, body: LOG }));
  expect([off.asked, endingOf(off.lab).detail]).toEqual([[], expect.not.stringContaining('its log ends')]);
  const forbidden = await crashed(true, () => ({ status: 403, body: '' }));
  expect([forbidden.asked.length, endingOf(forbidden.lab).detail]).toEqual([1, expect.stringMatching(/exited with code 3/)]);
  expect(forbidden.lab.logged.filter(({ msg }) => msg.includes('pods/log'))).toHaveLength(1);
});

/** The last lines, as an API server answers them: `limitBytes` leaves out their end. */
function served(log: string, path: string): { status: number; body: string } {
  const limits = new URL(path, 'http://api').searchParams;
  const lines = log.split('\n').slice(-Number(limits.get('tailLines')));
  return { status: 200, body: lines.join('\n').slice(0, Number(limits.get('limitBytes'))) };
}

it('a log with long lines keeps its end', async () => {
  const long = Array.from({ length: 30 }, (_, nth) => `${nth} ${'x'.repeat(900)}`).join('\n');
  const { lab } = await crashed(true, (path) => served(`${long} the last words`, path));
  expect(endingOf(lab).pod.message).toMatch(/^its log ends: …x+ the last words$/);
  expect(endingOf(lab).pod.message.length).toBeLessThanOrEqual(300);
});

it('words of the node are not taken for a log', async () => {
  const { lab } = await crashed(true, () => ({ status: 200, body: 'unable to retrieve container logs for containerd://d1e54b' }));
  expect(endingOf(lab).detail).not.toContain('its log ends');
});

it('a log whose end the API server has left out is not called its end', async () => {
  const { lab } = await crashed(true, (path) => served(`${'x'.repeat(200_000)} the last words`, path));
  expect(endingOf(lab).detail).not.toContain('its log ends');
});
