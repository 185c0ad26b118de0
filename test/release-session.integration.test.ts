import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

const SESSION = join(import.meta.dirname, '..', 'scripts', 'release', 'rehearsal', 'session.ts');
const TRANSCRIPT = join(import.meta.dirname, '..', 'scripts', 'release', 'rehearsal', 'transcript.ts');

/** A rehearsal that has made a temporary folder and started a program, and waits for it; it prints both folders and the program's number. */
const PROGRAM = `
  const { Session } = await import(${JSON.stringify(SESSION)});
  const { Transcript } = await import(${JSON.stringify(TRANSCRIPT)});
  const { join } = await import('node:path');
  const session = new Session(new Transcript());
  const { mkdtempSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const temporary = mkdtempSync(join(tmpdir(), 'serin-temporary-'));
  const child = session.start('sleep', ['1000'], join(session.folder, 'log'));
  console.log(JSON.stringify({ folder: session.folder, temporary, pid: child.pid }));
`;

it.each(['SIGINT', 'SIGTERM'] as const)('a rehearsal that %s ends leaves no folder and no program', async (signal) => {
  const rehearsal = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(rehearsal, 'exit');
  const [line] = (await once(createInterface({ input: rehearsal.stdout }), 'line')) as [string];
  const { folder, temporary, pid } = JSON.parse(line) as { folder: string; temporary: string; pid: number };
  expect([existsSync(folder), existsSync(temporary)]).toEqual([true, true]);
  expect(() => process.kill(pid, 0)).not.toThrow();
  rehearsal.kill(signal);
  expect(await ended).toEqual([130, null]);
  expect([existsSync(folder), existsSync(temporary)]).toEqual([false, false]);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

/** A rehearsal whose server does `atEnd` when it is ended, while a step is under way. */
const working = (atEnd: string): string => `
  const { Session } = await import(${JSON.stringify(SESSION)});
  const { Transcript } = await import(${JSON.stringify(TRANSCRIPT)});
  const { join } = await import('node:path');
  const { existsSync, readFileSync } = await import('node:fs');
  const session = new Session(new Transcript());
  const log = join(session.folder, 'log');
  const server = \`process.on('SIGTERM', () => { ${atEnd}; process.exit(); }); setInterval(() => {}, 1000); console.log('up');\`;
  const child = session.start(process.execPath, ['-e', server], log);
  while (!existsSync(log) || readFileSync(log, 'utf8') === '') await new Promise(setImmediate);
  console.log(JSON.stringify({ folder: session.folder, pid: child.pid }));
  try {
    await session.run('sleep', ['1000'], session.folder, process.env);
  } finally {
    await session.end();
  }
`;

it.each([
  { what: 'a second interrupt does not stop the removal', atEnd: "process.kill(process.ppid, 'SIGINT')" },
  {
    what: 'an interrupted step does not end the rehearsal before its servers are gone',
    atEnd: "require('node:child_process').execFileSync(process.execPath, ['--eval', ''])",
  },
])('$what', async ({ atEnd }) => {
  const rehearsal = spawn(process.execPath, ['--input-type=module', '-e', working(atEnd)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(rehearsal, 'close');
  const [line] = (await once(createInterface({ input: rehearsal.stdout }), 'line')) as [string];
  const { folder, pid } = JSON.parse(line) as { folder: string; pid: number };
  rehearsal.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(existsSync(folder)).toBe(false);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
