import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ownCall, shellWord } from './own-program.ts';

it.each([
  ['/checkout/src/cli/main.ts', '/checkout', 'npx node src/cli/main.ts'],
  ['/checkout/dist/serin.js', '/checkout', 'npx node dist/serin.js'],
  ['/my checkout/dist/serin.js', '/home', 'node "/my checkout/dist/serin.js"'],
  ['/usr/local/bin/serin', '/home', 'serin'],
  ['/home/me/bin/kubectl-serin', '/home', 'kubectl serin'],
  ['/home/me/app/node_modules/serin/dist/serin.js', '/home/me/app', 'serin'],
])('the program %s is called in %s by "%s"', (path, folder, call) => expect(ownCall(path, folder)).toBe(call));

it.each(['/tmp/serin-demo-Ab12cd/kubeconfig', '/tmp/with blank/x', "/tmp/it's/x", '/tmp/a$b/x', '/tmp/(a)&b;c*?/x', '/tmp/`a`!/x'])(
  'the path %s is one word in a shell',
  (path) => {
    const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellWord(path)}`], { encoding: 'utf8' });
    expect(stdout).toBe(path);
  },
);
