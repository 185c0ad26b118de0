import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/scenarios/eventually.ts';
import { startGuarded } from '../../../test/scenarios/guarded-process.ts';

const MAIN = join(import.meta.dirname, '..', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'serin-loadtester-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(...flags: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, 'loadtester', '--host=127.0.0.1', '--port=0', ...flags], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` }),
    );
  });
}

describe('serin loadtester', () => {
  it.each([
    { flags: ['-namespace-regexp=team-('], text: '--namespace-regexp: team-( is not a regular expression' },
    { flags: ['--allow-commands=team-['], text: '--allow-commands: team-[ is not a regular expression' },
    { flags: ['--allow-commands=test'], text: 'every client that reaches the port could run commands: name credentials' },
    { flags: ['-timeout=1000h'], text: '--timeout: 1000h must be a duration up to 480h' },
    { flags: ['--token-file=/none'], text: 'cannot start: ENOENT' },
  ])('$flags ends with exit code 1 and a remedy', async ({ flags, text }) => {
    const ended = await run(...flags);
    expect(ended).toEqual({ code: 1, text: expect.stringContaining(text) });
  });

  it('its help shows every flag with an example', async () => {
    const { code, text } = await run('--help');
    expect(code).toBe(0);
    for (const flag of ['--allow-commands team-a', '--state-file /data/gates.json', '--credentials-dir /secrets', '--max-memory 256Mi'])
      expect(text.replace(/\s+/g, ' ')).toContain(flag);
  });

  it('starts with the flags of Flagger’s, and ends with exit code 0 on a stop signal', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'pl4nted-token\n');
    const flags = [
      '-port=0',
      '--host=127.0.0.1',
      '-log-level=warning',
      '-timeout=1h',
      '-namespace-regexp=test',
      '-zap-encoding=json',
      '-zap-replace-globals',
    ];
    const logFile = join(folder, 'log');
    const other = [`--token-file=${tokenFile}`, `--state-file=${join(folder, 'gates.json')}`, '--log-level=info'];
    const tester = startGuarded('loadtester', [process.execPath, MAIN, 'loadtester', ...flags, ...other], logFile);
    const started = await eventually(
      'it says that it started',
      () => /"port":(\d+)/.exec(readFileSync(logFile, 'utf8'))?.[1],
      (port) => port !== undefined,
      () => tester.logTail(),
    );
    const gate = (path: string) =>
      fetch(`http://127.0.0.1:${started}${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer pl4nted-token' },
        body: '{"name":"a","namespace":"test"}',
      });
    expect((await gate('/gate/open')).status).toBe(202);
    expect((await gate('/gate/check')).status).toBe(200);
    await tester.stop('TERM');
    expect(await tester.exited).toBe(0);
    const log = readFileSync(logFile, 'utf8');
    expect(log).toContain('"msg":"gate opened"');
    expect(log).not.toContain('pl4nted');
    expect(log).toContain('"level":"warn"');
    expect(log).toContain('flag is ignored');
    expect(log).not.toContain('name credentials');
  });

  it.runIf(process.platform === 'linux')(
    'I15: a command finds no credential of the load tester in its processes, and the credentials hold all the same',
    async () => {
      const logFile = join(folder, 'environ-log');
      const env = {
        ...process.env,
        SERIN_LOADTESTER_TOKEN: 'pl4nted-token',
        SERIN_LOADTESTER_SIGNING_KEY: 'pl4nted-key',
        OF_COMMANDS: 'kept',
      };
      const flags = ['--port=0', '--host=127.0.0.1', '--allow-commands=test', '--state-file', join(folder, 'environ-gates.json')];
      const tester = startGuarded('loadtester', [process.execPath, MAIN, 'loadtester', ...flags], logFile, env);
      const port = await eventually(
        'it says that it started',
        () => /"port":(\d+)/.exec(readFileSync(logFile, 'utf8'))?.[1],
        (found) => found !== undefined,
        () => tester.logTail(),
      );
      const run = async (cmd: string, token: string) => {
        const metadata = { type: 'bash', cmd, returnCmdOutput: 'true' };
        const answer = await fetch(`http://127.0.0.1:${port}/`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body: JSON.stringify({ name: 'a', namespace: 'test', metadata }),
        });
        return { status: answer.status, text: await answer.text() };
      };
      expect((await run('true', 'pl4nted-other')).status).toBe(401);
      // By count: an output that holds a credential would be shown without it.
      const looked = await run(
        'for part in environ cmdline fd/0; do grep -ac pl4nted /proc/$PPID/$part; done; env | grep -c pl4nted; echo $OF_COMMANDS; grep -ac kept /proc/$PPID/environ',
        'pl4nted-token',
      );
      expect(looked).toEqual({ status: 200, text: '0\n0\n0\n0\nkept\n1\n' });
      await tester.stop('TERM');
      expect(await tester.exited).toBe(0);
    },
  );
});
