import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { type Nodes, startNodes } from '../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../src/embedded/nodes/pod-calls.ts';
import { type KubectlCommand, kubectlCommands } from './kubectl-commands.ts';
import { comparable } from './kubectl-output.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

/** `kubectl edit` opens this on the object. */
const EDITOR = `sed -i 's/ f$/ ff/' "$1"`;
const ASKED_AGAIN_FOR_MS = 90_000;
const ASK_AGAIN_MS = 200;

describe('kubectl, without special flags', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-kubectl-'));
  let embedded: EmbeddedCluster;
  let real: RealCluster;
  let nodes: Nodes;

  beforeAll(async () => {
    [embedded, real] = await Promise.all([startEmbeddedCluster(), startRealCluster({ moreControllers: ['disruption-controller'] })]);
    const { cluster } = real;
    nodes = startNodes(cluster, {
      calls: podCallsBy(cluster),
    });
    await nodes.ready;
    writeFileSync(join(folder, 'embedded'), embedded.kubeconfig);
  });

  afterAll(async () => {
    await nodes?.stop();
    await Promise.all([embedded?.stop(), real?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const editorFile = (script: string): string => {
    const file = join(folder, `editor-${createHash('sha256').update(script).digest('hex').slice(0, 8)}`);
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
  };

  // Asynchronous, since the embedded cluster lives in this process.
  const kubectl = async (kubeconfig: string, { args, stdin = '', until, editor = EDITOR }: KubectlCommand) => {
    const env = {
      KUBECONFIG: kubeconfig,
      KUBE_EDITOR: editorFile(editor),
      KUBECTL: real.kubectl,
      KUBECTL_EXTERNAL_DIFF: 'diff -u',
      HOME: folder,
    };
    const once = () =>
      new Promise<{ exit: number; output: string }>((resolve) => {
        const child = execFile(real.kubectl, args.split(' '), { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
          resolve({ exit: error === null ? 0 : Number(error.code), output: stdout + stderr }),
        );
        // A command that needs no input can exit before the input is written.
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(stdin);
      });
    const deadlineMs = performance.now() + ASKED_AGAIN_FOR_MS;
    let answer = await once();
    while (until !== undefined && !until.test(answer.output) && performance.now() < deadlineMs) {
      await sleep(ASK_AGAIN_MS);
      answer = await once();
    }
    return answer;
  };

  it.each(kubectlCommands.map((command, index) => ({ ...command, number: index + 1 })))('$number: kubectl $args', async (command) => {
    const [here, there] = await Promise.all([kubectl(join(folder, 'embedded'), command), kubectl(real.adminKubeconfigFile, command)]);
    const shown = ({ exit, output }: typeof here) => ({ exit, output: comparable(output, command.keep) });
    expect(there.exit, `the real cluster answered: ${there.output}`).toBe(command.exit ?? 0);
    expect(shown(here)).toEqual(shown(there));
  });
});
