import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

it('a cluster whose files cannot be written lets the process end', async () => {
  const script = `import('./demo-cluster.ts').then((demo) => demo.startDemoCluster('istio', '/absent/folder')).catch((error) => console.log(error.code))`;
  const child = spawn(process.execPath, ['-e', script], { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(said).toBe('ENOENT\n');
});
