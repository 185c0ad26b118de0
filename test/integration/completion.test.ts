import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeServer, kubeServer, refuse, sendJson } from '../build/kube-server.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

describe('the scripts of serin completion, each in its own shell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-completion-'));
  let server: KubeServer;
  const env = {
    ...process.env,
    PATH: [folder, process.env.PATH].join(delimiter),
    KUBECONFIG: join(folder, 'kubeconfig'),
    SERIN_COMPLETION_TIMEOUT: '1m',
  };

  const run = async (shell: string, script: string): Promise<string[]> => {
    const { stdout } = await promisify(execFile)(shell, ['-c', script], { env, cwd: folder });
    return stdout.trimEnd().split('\n');
  };

  beforeAll(async () => {
    server = await kubeServer(({ path }, response) => {
      if (path === '/apis/flagger.app/v1beta1')
        sendJson(response, 200, { kind: 'APIResourceList', resources: [{ name: 'canaries', kind: 'Canary', namespaced: true }] });
      else if (path.endsWith('/namespaces/test/canaries'))
        sendJson(response, 200, {
          metadata: {},
          items: ['podinfo', 'podfarm', 'shop'].map((name) => ({ metadata: { name, namespace: 'test' } })),
        });
      else refuse(response, 403, 'Forbidden');
    });
    const contexts = [{ name: 'it', context: { cluster: 'it', user: 'it', namespace: 'test' } }];
    const clusters = [{ name: 'it', cluster: { server: server.url } }];
    writeFileSync(env.KUBECONFIG, JSON.stringify({ 'current-context': 'it', clusters, contexts, users: [{ name: 'it', user: {} }] }));
    writeFileSync(join(folder, 'serin'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    chmodSync(join(folder, 'serin'), 0o755);
    symlinkSync(MAIN, join(folder, 'kubectl_complete-serin'));
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('bash: commands, values behind = as bash parts words, names of Canaries, files', async () => {
    const said = await run(
      'bash',
      `source <(serin completion bash)
      after() { COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}; COMPREPLY=(); _serin serin; echo "$1|\${COMPREPLY[*]}"; }
      complete -p serin
      after 'serin sta'; after 'serin list --output=j'; after 'serin status pod'; after 'serin report -f kubeco'`,
    );
    expect(said).toEqual([
      'complete -F _serin serin',
      'serin sta|status',
      'serin list --output=j|json',
      'serin status pod|podfarm podinfo',
      'serin report -f kubeco|kubeconfig',
    ]);
  });

  it('kubectl: a program kubectl_complete-serin answers with names and a directive', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'kubectl_complete-serin'), 'status', 'pod'], {
      env,
    });
    expect(stdout).toBe('podfarm\npodinfo\n:4\n');
    expect(stderr).toBe('');
  });

  it.skipIf(!has('zsh'))('zsh: the same (skipped where there is no zsh: it is no part of Node)', async () => {
    const said = await run(
      'zsh',
      `compdef() { :; }; _files() { print files; }; compset() { :; }
      _describe() { print -rl -- "\${(@P)argv[-1]}"; }
      source <(serin completion zsh)
      after() { words=("$@"); CURRENT=$#words; _serin; }
      after serin sta; after serin list --output=j; after serin status pod; after serin report -f ''`,
    );
    expect(said[0]).toMatch(/^status:one screen/);
    expect(said.slice(1)).toEqual(['--output=json:--output=json', 'podfarm:podfarm', 'podinfo:podinfo', 'files']);
  });

  it.skipIf(!has('fish'))('fish: the same (skipped where there is no fish: it is no part of Node)', async () => {
    const lines = ['serin sta', 'serin list --output=j', 'serin status pod', 'serin report -f kubeco'];
    const said = await run('fish', ['serin completion fish | source', ...lines.map((line) => `complete -C '${line}'`)].join('\n'));
    expect(said[0]).toMatch(/^status\tone screen/);
    expect(said.slice(1)).toEqual(['--output=json', 'podfarm', 'podinfo', 'kubeconfig']);
  });
});
