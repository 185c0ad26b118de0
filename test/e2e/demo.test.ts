import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureBinaries } from '../../scripts/e2e-binaries.ts';
import { sessionBy } from '../fakes/one-time-session.ts';
import { program } from '../fakes/program.ts';
import { runScript } from '../scenarios/doc-commands.ts';
import { openTerminal } from '../scenarios/doc-terminal.ts';
import { eventually } from '../scenarios/eventually.ts';

it('the three commands that the demo prints with --keep work as printed: they show the release, repair it, and see it promoted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-demo-test-'));
  const env = { ...process.env, PATH: `${(await ensureBinaries()).dir}:${dirname(process.execPath)}:${process.env.PATH}` };
  const demo = spawn(process.execPath, [program(), 'demo', '--keep'], { cwd: folder, env: { ...env, TMPDIR: folder } });
  let said = '';
  for (const stream of [demo.stdout, demo.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (said += part));
  const ended = once(demo, 'close');
  try {
    await eventually(
      'the commands',
      () => said,
      (text) => text.includes('Ctrl-C ends the command'),
    );
    const kept = said.slice(said.indexOf('until Ctrl-C'));
    const [status = '', repair = '', watch = '', ...others] = [...kept.matchAll(/^ {2}(\S.*)$/gm)].map(([, command = '']) => command);
    expect(others).toEqual([]);
    const run = (command: string) => runScript(command, env, folder);
    expect(await run(status)).toEqual({ exit: 0, output: expect.stringContaining('Canary demo/podinfo: Failed') });
    expect(await run(repair)).toEqual({ exit: 0, output: 'deployment.apps/podinfo env updated\n' });
    const watching = await openTerminal(watch, env, folder);
    try {
      await eventually('the promotion', watching.output, (text) => text.includes('Canary demo/podinfo: Succeeded'));
    } finally {
      await watching.close();
    }
    demo.kill('SIGINT');
    expect(await ended, said).toEqual([0, null]);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    demo.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the demo with --open starts the browser on the dashboard of its cluster, which shows the release, and stays until Ctrl-C', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-demo-test-'));
  const opened = join(folder, 'opened');
  // Replaces the browser, on Linux and macOS.
  for (const name of ['xdg-open', 'open']) writeFileSync(join(folder, name), `#!/bin/sh\nprintf %s "$1" >"${opened}"\n`, { mode: 0o755 });
  const env = { ...process.env, TMPDIR: folder, PATH: `${folder}:${dirname(process.execPath)}:${process.env.PATH}` };
  const demo = spawn(process.execPath, [program(), 'demo', '--open', '--json'], { cwd: folder, env });
  const [said, ended] = [[] as string[], once(demo, 'close')];
  for (const stream of [demo.stdout, demo.stderr]) stream.setEncoding('utf8').on('data', (part: string) => said.push(part));
  try {
    const isOpened = () => (existsSync(opened) ? readFileSync(opened, 'utf8') : '');
    const address = await eventually('the browser', isOpened, (text) => text !== '');
    const headers = await sessionBy(address);
    await eventually(
      'the end',
      () => said.join(''),
      (text) => text.includes('Ctrl-C ends the command'),
    );
    const history = await fetch(new URL('/api/canaries/demo/podinfo/history', address), { headers });
    expect(await history.json()).toMatchObject({ releases: [{ outcome: 'Failed' }, { outcome: 'Succeeded' }] });
    demo.kill('SIGINT');
    expect(await ended, said.join('')).toEqual([0, null]);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  } finally {
    demo.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});
