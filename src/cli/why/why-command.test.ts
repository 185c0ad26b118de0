import { expect, it } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { pushed } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized, type World } from '../../../test/fakes/world.ts';
import { readSnapshot } from '../../reading/snapshot.ts';
import { whyOf } from '../../reading/why/diagnose.ts';
import { Output } from '../output/output.ts';
import { whyCommand } from './why-command.ts';

it.each([
  { flags: [], run: 'run      serin resume podinfo -n test' },
  { flags: ['--context=two'], run: 'run      serin resume podinfo -n test --context=two' },
])('commands to copy reach the cluster that was read, by $flags', async ({ flags, run }) => {
  const world = initialized(aCanary({ stepWeight: 25 }));
  world.pushUntil('s1:b', ({ canary }) => canary.status?.canaryWeight === 25);
  const canary = JSON.parse(JSON.stringify(world.canary));
  canary.status.release.paused = { by: 'ann', sinceMs: 0 };
  let said = '';
  const output = new Output({ plain: true }, {}, { out: { write: (text: string) => (said += text) }, err: { write: () => undefined } });
  const session = { cluster: new HeldCluster([canary]), namespace: 'test', output, clusterFlags: flags };
  expect(await whyCommand(session as unknown as Parameters<typeof whyCommand>[0], 'podinfo')).toBe('done');
  expect(said.split('\n')).toContain(run);
});

it('an object that does not exist is proved only by its name', async () => {
  const world = initialized(aCanary({ stepWeight: 25 }));
  let said = '';
  const output = new Output({ plain: true }, {}, { out: { write: (text: string) => (said += text) }, err: { write: () => undefined } });
  const session = { cluster: new HeldCluster([JSON.parse(JSON.stringify(world.canary))]), namespace: 'test', output, clusterFlags: [] };
  world.push('s1:b');
  await whyCommand(session as unknown as Parameters<typeof whyCommand>[0], 'podinfo');
  expect(said.split('\n')).toContain('proof    Deployment podinfo: not found');
});

it.each([
  { where: 'while idle', isSo: (world: World) => world.step === 'resting', cause: 'Resting' },
  { where: 'while its pods are awaited', isSo: (world: World) => world.step === 'scalingUp', cause: 'Unreadable' },
])('$where a target that cannot be read is not said to be missing', async ({ isSo, cause }) => {
  const world = initialized(aCanary({ stepWeight: 25 }));
  if (!isSo(world)) {
    world.behaviour.brokenCanary.add('s1:b');
    pushed(world, isSo);
  }
  const cluster = new HeldCluster([JSON.parse(JSON.stringify(world.canary))]);
  for (const kind of ['Deployment', 'Pod']) cluster.forbidden.add(kind);
  const { diagnosis } = whyOf({ ...(await readSnapshot(cluster, 'test', 'podinfo')), atMs: world.nowMs });
  expect(diagnosis.cause).toBe(cause);
  if (cause === 'Unreadable')
    expect(diagnosis).toMatchObject({ look: 'kubectl auth can-i get deployments -n test', proof: [{ kind: 'Canary' }] });
});
