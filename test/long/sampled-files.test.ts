import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the integration tests pass with every file and every cell of which `npm test` runs a part', { timeout: 60 * 60_000 }, () => {
  // Without the variables by which vitest knows that it runs within itself.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$)/.test(name)));
  const vitest = join(import.meta.dirname, '..', '..', 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'integration', '--project', 'own-process'], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...env, PART_ONE_IN: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(status).toBe(0);
});
