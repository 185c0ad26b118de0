import { expect, it } from 'vitest';
import { HeldCluster } from '../../../test/build/held-cluster.ts';
import { aCanary, initialized } from '../../../test/build/world.ts';
import { Output } from '../output/output.ts';
import { whyCommand } from './why-command.ts';

it.each([
  { flags: [], run: 'run      serin resume podinfo -n test' },
  { flags: ['--context=two'], run: 'run      serin resume podinfo -n test --context=two' },
])('what is to be run reaches the cluster that was looked at, by $flags', async ({ flags, run }) => {
  const world = initialized(aCanary({ stepWeight: 25 }));
  world.push('s1:b');
  world.tickUntil(({ canary }) => canary.status?.canaryWeight === 25);
  const canary = JSON.parse(JSON.stringify(world.canary));
  canary.status.release.paused = { by: 'ann', sinceMs: 0 };
  let said = '';
  const output = new Output({ plain: true }, {}, { out: { write: (text: string) => (said += text) }, err: { write: () => undefined } });
  const session = { cluster: new HeldCluster([canary]), namespace: 'test', output, clusterFlags: flags };
  expect(await whyCommand(session as unknown as Parameters<typeof whyCommand>[0], 'podinfo')).toBe('done');
  expect(said.split('\n')).toContain(run);
});
