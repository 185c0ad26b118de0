import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { kubeServer, refuse, sendJson } from '../fakes/kube-server.ts';
import { program } from '../fakes/program.ts';

export interface CompletionLab {
  folder: string;
  /** Runs a program with `serin` on its PATH and a cluster with the Canaries podinfo, podfarm and shop. */
  run(program: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }>;
  /** The lines that a script prints in that shell. */
  lines(shell: string, script: string): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startCompletionLab(): Promise<CompletionLab> {
  const folder = mkdtempSync(join(tmpdir(), 'serin-completion-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const server = await kubeServer(({ path }, response) => {
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
  writeFileSync(kubeconfig, JSON.stringify({ 'current-context': 'it', clusters, contexts, users: [{ name: 'it', user: {} }] }));
  writeFileSync(join(folder, 'serin'), `#!/bin/sh\nexec '${process.execPath}' '${program()}' "$@"\n`);
  chmodSync(join(folder, 'serin'), 0o755);
  symlinkSync(program(), join(folder, 'kubectl_complete-serin'));
  const env = {
    ...process.env,
    PATH: [folder, process.env.PATH].join(delimiter),
    KUBECONFIG: kubeconfig,
    SERIN_COMPLETION_TIMEOUT: '1m',
  };
  const run: CompletionLab['run'] = (program, args) => promisify(execFile)(program, [...args], { env, cwd: folder });
  return {
    folder,
    run,
    lines: async (shell, script) => (await run(shell, ['-c', script])).stdout.trimEnd().split('\n'),
    async stop() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
